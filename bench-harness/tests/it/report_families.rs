//! The pages of families, where there are many strategies.

use crate::report::{check_all, check_markdown};
use crate::report_fixture::{Fixture, Made, charts, text};
use crate::report_svg::texts;

/// With more strategies than a chart of the overview has room for, it shows the best of each family
/// and the control, and every family has a page with all of its own.
#[test]
fn of_many_strategies_each_family_has_its_page() {
    let labels: Vec<String> = (0..24).map(|i| format!("s{i:02}")).collect();
    let family = |i: usize| ["alpha", "alpha-two", "be/ta"][i % 3];
    let mut made = vec![Made::new("modulo", "modulo", None)];
    let of_families = labels.iter().enumerate();
    made.extend(of_families.map(|(i, label)| Made::new(label, family(i), None)));
    let report = check_all(&Fixture::of(&made));
    let named = |path: &str| {
        let texts = texts(text(&report, path));
        let all = labels.iter().filter(|label| texts.contains(label));
        all.map(String::as_str).collect::<Vec<_>>()
    };
    let shown = named("charts/overview-lookup.svg");
    assert_eq!(shown, ["s00", "s01", "s02"], "the quickest of each family");
    let overview = text(&report, "charts/overview-lookup.svg");
    assert!(texts(overview).contains(&"modulo".to_owned()));
    assert!(overview.contains("; 21 more stand on the pages of their families"));
    let alpha = named("charts/family-alpha-lookup.svg");
    let expected: Vec<&str> = labels.iter().step_by(3).map(String::as_str).collect();
    assert_eq!(alpha, expected);
    for (file, family) in [
        ("alpha", "alpha"),
        ("alpha-two", "alpha-two"),
        ("be-ta", "be/ta"),
    ] {
        let path = format!("families/{file}.md");
        let page = text(&report, &path);
        check_markdown(page);
        assert!(
            page.contains(&format!("# ringmark: family {family}")),
            "{page}"
        );
        for chart in [
            "movement",
            "busiest",
            "survival",
            "balance-evenness",
            "lookup",
        ] {
            let file = format!("charts/family-{file}-{chart}.svg");
            assert!(page.contains(&format!("](../{file})")), "{path}: {file}");
            assert!(charts(&report).any(|it| it.0 == file), "{file}");
        }
        assert_eq!(page.contains("family-alpha-two"), file == "alpha-two");
        assert!(text(&report, "README.md").contains(&format!("]({path})")));
    }
    let small = check_all(&Fixture::small());
    assert!(small.files.iter().all(|it| !it.path.contains("famil")));
}
