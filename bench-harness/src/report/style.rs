//! Colour, dash and marker of a strategy: chosen by its name alone.
//!
//! A new strategy changes no other's looks, and a strategy looks alike in every chart. The price
//! is that two families may share a colour; so every series also carries its name, and members of
//! a family differ in marker and dash.

use crate::record::Compared;

/// The colours of Okabe and Ito that read on white; black is the control's.
const COLOURS: [&str; 6] = [
    "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7",
];

/// The colour of the control.
pub(super) const CONTROL: &str = "#1f2328";

/// Mostly ink: a broken line is a member's own, a dotted one a reference.
const DASHES: [&str; 8] = [
    "",
    "14 2",
    "9 2",
    "6 2",
    "14 2 3 2",
    "9 2 3 2",
    "6 2 2 2",
    "14 2 3 2 3 2",
];

/// Marker of a series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Shape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
    Left,
    Right,
    Star,
    Hexagon,
    Hourglass,
}

const SHAPES: [Shape; 10] = [
    Shape::Circle,
    Shape::Square,
    Shape::Diamond,
    Shape::Up,
    Shape::Down,
    Shape::Left,
    Shape::Right,
    Shape::Star,
    Shape::Hexagon,
    Shape::Hourglass,
];

impl Shape {
    /// Its corners in a circle of radius 1; none for the circle itself.
    pub(super) fn outline(self) -> Option<&'static [(f64, f64)]> {
        match self {
            Self::Circle => None,
            Self::Square => Some(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Self::Diamond => Some(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
            Self::Up => Some(&[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)]),
            Self::Down => Some(&[(0.0, 1.2), (1.15, -0.9), (-1.15, -0.9)]),
            Self::Left => Some(&[(-1.2, 0.0), (0.9, -1.15), (0.9, 1.15)]),
            Self::Right => Some(&[(1.2, 0.0), (-0.9, -1.15), (-0.9, 1.15)]),
            Self::Star => Some(&[
                (0.0, -1.4),
                (0.4, -0.4),
                (1.4, 0.0),
                (0.4, 0.4),
                (0.0, 1.4),
                (-0.4, 0.4),
                (-1.4, 0.0),
                (-0.4, -0.4),
            ]),
            Self::Hexagon => Some(&[
                (-1.15, 0.0),
                (-0.6, -1.0),
                (0.6, -1.0),
                (1.15, 0.0),
                (0.6, 1.0),
                (-0.6, 1.0),
            ]),
            Self::Hourglass => Some(&[(-1.0, -1.1), (1.0, -1.1), (-1.0, 1.1), (1.0, 1.1)]),
        }
    }
}

/// How a series looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Style {
    pub(super) colour: &'static str,
    pub(super) dash: &'static str,
    pub(super) shape: Shape,
    /// Filled for a strategy as it is by default, hollow with parameters of its own.
    pub(super) filled: bool,
}

impl Style {
    /// Colour by family (the control is black), shape by name, fill and dash by spec.
    pub(super) fn of(entry: &Compared) -> Self {
        let family = &entry.strategy.family;
        Self {
            colour: if entry.strategy.role == "control" {
                CONTROL
            } else {
                COLOURS[pick(family, COLOURS.len())]
            },
            dash: DASHES[pick(&entry.label, DASHES.len())],
            shape: SHAPES[pick(&entry.strategy.name, SHAPES.len())],
            filled: entry.label == entry.strategy.name,
        }
    }
}

/// A place below `len` that depends on `name` alone.
///
/// FNV-1a with the finaliser of SplitMix64. The salt is one under which the families that were
/// there when it was chosen differ in colour, and the members of each in shape.
fn pick(name: &str, len: usize) -> usize {
    const SALT: u64 = 54_626;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ SALT;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    usize::try_from(hash % len as u64).expect("it is below a usize")
}
