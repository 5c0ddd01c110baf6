//! What must hold for every chart, whatever the data.

use roxmltree::{Document, Node};

/// A text's box, as wide as 0.6 em a character.
#[derive(Debug)]
struct TextBox<'a> {
    text: &'a str,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Parses a chart.
#[track_caller]
pub(crate) fn parse<'a>(path: &str, svg: &'a str) -> Document<'a> {
    Document::parse(svg).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Checks a chart: it parses, its texts keep apart and inside the frame, and it says what it is.
#[track_caller]
pub(crate) fn check(path: &str, svg: &str) {
    let doc = parse(path, svg);
    let root = doc.root_element();
    let frame = (number(root, "width"), number(root, "height"));
    let font = root.attribute("font-family").unwrap_or_default();
    assert!(font.ends_with("sans-serif"), "{path}: {font}");
    let boxes: Vec<TextBox<'_>> = root
        .descendants()
        .filter(|node| node.has_tag_name("text") || node.tag_name().name() == "text")
        .map(text_box)
        .collect();
    assert!(boxes.len() > 3, "{path}: hardly any text");
    for (i, a) in boxes.iter().enumerate() {
        let inside = a.left >= 0.0 && a.top >= 0.0 && a.right <= frame.0 && a.bottom <= frame.1;
        assert!(inside, "{path}: {:?} leaves the frame: {a:?}", a.text);
        for b in &boxes[..i] {
            let apart =
                a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom;
            assert!(
                apart,
                "{path}: {:?} meets {:?}: {a:?}, {b:?}",
                a.text, b.text
            );
        }
    }
    // An experiment has no profile: it runs what its definition says.
    let data = metadata(svg, "data");
    let of_an_experiment = data
        .split(", ")
        .all(|it| it.starts_with("data/experiment-") || it.starts_with("data/timed-frontier-"));
    for name in ["figure", "rows", "ringmark", "profile", "command"] {
        let said = !metadata(svg, name).is_empty();
        assert!(
            said || (name == "profile" && of_an_experiment),
            "{path}: no {name}"
        );
    }
    assert!(metadata(svg, "figure").starts_with("rm-"), "{path}");
    let rows = metadata(svg, "rows");
    let hex = rows.len() == 12 && rows.bytes().all(|it| it.is_ascii_hexdigit());
    assert!(hex, "{path}: {rows}");
    for node in root.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value();
            let broken = value.contains("NaN") || value.split([' ', ',']).any(|it| it == "inf");
            assert!(!broken, "{path}: {}={value:?}", attribute.name());
        }
    }
}

/// A line of a chart's metadata.
pub(crate) fn metadata(svg: &str, name: &str) -> String {
    let doc = parse(name, svg);
    let metadata = doc
        .descendants()
        .find(|node| node.tag_name().name() == "metadata")
        .and_then(|node| node.text())
        .unwrap_or_default();
    let line = metadata
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_default().to_owned()
}

/// All texts of a chart, in document order.
pub(crate) fn texts(svg: &str) -> Vec<String> {
    let doc = parse("chart", svg);
    let texts = doc
        .descendants()
        .filter(|node| node.tag_name().name() == "text");
    texts
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

/// How the marks of a series look: fill, stroke, dash and outline of each shape in the group whose
/// title begins with `name`.
pub(crate) fn looks(svg: &str, name: &str) -> Vec<String> {
    let doc = parse("chart", svg);
    let group = doc.descendants().find(|node| {
        let title = node
            .first_element_child()
            .filter(|it| it.tag_name().name() == "title");
        let title = title.and_then(|it| it.text()).unwrap_or_default();
        node.tag_name().name() == "g" && title.starts_with(&format!("{name}:"))
    });
    let group = group.unwrap_or_else(|| panic!("no marks of {name}"));
    let shapes = group
        .children()
        .filter(|node| node.attribute("stroke").is_some());
    shapes
        .map(|node| {
            let of = |name| node.attribute(name).unwrap_or("-");
            format!(
                "{} {} {} {} {}",
                node.tag_name().name(),
                of("fill"),
                of("stroke"),
                of("stroke-dasharray"),
                outline(of("points"))
            )
        })
        .collect()
}

/// Where the corners of a marker lie, seen from its first one (coordinates are rounded, so only the
/// directions are sure); nothing for lines, which depend on the data.
fn outline(points: &str) -> String {
    let corners: Vec<(f64, f64)> = points
        .split(' ')
        .filter_map(|pair| pair.split_once(','))
        .filter_map(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)))
        .collect();
    let Some(&(x, y)) = corners.first() else {
        return String::new();
    };
    let far = corners.iter().any(|it| (it.0 - x).abs() > 12.0);
    if far {
        return String::new();
    }
    let side = |d: f64| match d {
        d if d > 0.6 => '+',
        d if d < -0.6 => '-',
        _ => '0',
    };
    let seen = corners
        .iter()
        .flat_map(|it| [side(it.0 - x), side(it.1 - y)]);
    seen.collect()
}

fn text_box<'a>(node: Node<'a, '_>) -> TextBox<'a> {
    let text = node.text().unwrap_or_default();
    let (x, y, size) = (
        number(node, "x"),
        number(node, "y"),
        number(node, "font-size"),
    );
    let width = text.chars().count() as f64 * 0.6 * size;
    let left = match node.attribute("text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    TextBox {
        text,
        left,
        right: left + width,
        top: y - 0.76 * size,
        bottom: y + 0.22 * size,
    }
}

#[track_caller]
fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let value = node.attribute(name).and_then(|it| it.parse().ok());
    value.unwrap_or_else(|| panic!("{:?} has no number {name}", node.tag_name()))
}
