//! What an experiment runs and what was published: the content of `experiments/NAME.toml`.

use serde::{Deserialize, de::DeserializeOwned};

/// An experiment, as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// What it is about, in a few words.
    pub title: String,
    /// The document that reports it.
    pub document: String,
    /// What is run, and what to look for.
    pub about: String,
    /// Where the document's program is described, with every defect of it.
    #[serde(default)]
    pub pages: Vec<Page>,
    /// What this kind of experiment runs.
    setup: toml::Table,
    /// What was published, in the order of the pages.
    pub claims: Vec<Claim>,
}

/// The page of a published program: a module's documentation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// The module.
    pub module: String,
    /// Its file, below the root.
    pub file: String,
}

/// A published claim.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// What the code calls it.
    pub id: String,
    /// The claim in words.
    pub claim: String,
    /// The published value.
    pub published: Published,
    /// Unit of the value.
    #[serde(default)]
    pub unit: String,
    /// How far a number may be off; exact where neither this nor `within_share` is given.
    pub within: Option<Within>,
    /// The same as a share of the published value.
    pub within_share: Option<f64>,
    /// Whether it is about time.
    #[serde(default)]
    pub timed: bool,
    /// What is to be said where it is reproduced.
    #[serde(default)]
    pub reproduced: String,
    /// Why, where it is not.
    #[serde(default)]
    pub differs: String,
}

/// A published value.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Published {
    /// A number.
    Number(f64),
    /// Numbers of one kind, as a table or a curve has them.
    Numbers(Vec<f64>),
    /// Words, or the lines that a program prints.
    Text(String),
}

/// How far numbers may be off.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Within {
    /// All alike.
    All(f64),
    /// Each by itself, in the order of the published ones.
    Each(Vec<f64>),
}

impl Within {
    /// How far the number in this place may be off; not at all where nothing is said.
    #[must_use]
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Self::All(within) => *within,
            Self::Each(each) => each.get(place).copied().unwrap_or(0.0),
        }
    }
}

impl Definition {
    /// The numbers that this claim publishes; none where it publishes words, or is not there.
    #[must_use]
    pub fn published(&self, id: &str) -> &[f64] {
        match self.claims.iter().find(|it| it.id == id) {
            Some(claim) => match &claim.published {
                Published::Number(number) => std::slice::from_ref(number),
                Published::Numbers(numbers) => numbers,
                Published::Text(_) => &[],
            },
            None => &[],
        }
    }

    /// What this kind of experiment runs.
    ///
    /// # Panics
    ///
    /// When the file does not say it, which is a fault of this program.
    #[must_use]
    pub fn setup<T: DeserializeOwned>(&self) -> T {
        let setup = toml::Value::Table(self.setup.clone());
        let read = setup.try_into();
        read.unwrap_or_else(|err| panic!("the setup of {:?}: {err}", self.title))
    }
}
