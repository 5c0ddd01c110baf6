//! What clients know of a cluster.

/// How the views of many clients differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// `missing-1` and so on: each client does not know of so many nodes, drawn at random for it.
    Missing(usize),
    /// `behind-1` and so on: of so many replacements of a rolling restart, client number c has seen
    /// the first c mod (m + 1).
    Behind(usize),
}

impl View {
    /// Those that are measured, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Missing(1),
        Self::Missing(2),
        Self::Missing(4),
        Self::Behind(1),
        Self::Behind(2),
        Self::Behind(4),
    ];

    /// Its name, as in the column `change`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Missing(m) => format!("missing-{m}"),
            Self::Behind(m) => format!("behind-{m}"),
        }
    }
}
