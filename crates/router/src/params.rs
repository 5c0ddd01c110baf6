//! Parameters of a strategy: their declaration and their values.

use std::fmt::Write as _;

use crate::{Error, ErrorKind};

/// What a parameter is for; the harness sweeps parameters by role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamRole {
    /// Ring points (virtual nodes) a node.
    PointsPerNode,
    /// Entries of a look-up table.
    Table,
    /// Probes a look-up.
    Probes,
    /// Reserved places, in multiples of the nodes at building.
    Capacity,
    /// Anything else; never swept.
    Other,
}

impl ParamRole {
    /// Its name in `list --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PointsPerNode => "points_per_node",
            Self::Table => "table",
            Self::Probes => "probes",
            Self::Capacity => "capacity",
            Self::Other => "other",
        }
    }
}

/// What values a parameter takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamKind {
    /// A whole number.
    Int {
        /// Value when it is not given.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// The value is a multiple of this; 1 for any.
        multiple_of: i64,
    },
    /// A decimal number.
    Float {
        /// Value when it is not given.
        default: f64,
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// One of a few words, the first by default.
    Choice(&'static [&'static str]),
    /// The spec of another strategy.
    Spec {
        /// Value when it is not given.
        default: &'static str,
    },
}

/// The declaration of one parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// Its name in a spec.
    pub name: &'static str,
    /// What it is for.
    pub role: ParamRole,
    /// What values it takes.
    pub kind: ParamKind,
    /// One line: what it does.
    pub help: &'static str,
}

impl Param {
    /// A whole number of points a node, 1 to [`crate::MAX_POINTS`].
    #[must_use]
    pub const fn points_per_node(name: &'static str, default: i64, help: &'static str) -> Self {
        Self {
            name,
            role: ParamRole::PointsPerNode,
            kind: ParamKind::Int {
                default,
                min: 1,
                max: crate::MAX_POINTS as i64,
                multiple_of: 1,
            },
            help,
        }
    }

    /// The default, as a spec would write it.
    #[must_use]
    pub fn default_text(&self) -> String {
        self.default_value().text()
    }

    fn default_value(&self) -> Value {
        match self.kind {
            ParamKind::Int { default, .. } => Value::Int(default),
            ParamKind::Float { default, .. } => Value::Float(default),
            ParamKind::Choice(words) => Value::Word(words[0].to_owned()),
            ParamKind::Spec { default } => Value::Word(default.to_owned()),
        }
    }

    /// The values it takes, in words.
    #[must_use]
    pub fn range_text(&self) -> String {
        match self.kind {
            ParamKind::Int {
                min,
                max,
                multiple_of,
                ..
            } => {
                let mut text = format!("a whole number from {min} to {max}");
                if multiple_of != 1 {
                    let _ = write!(text, ", a multiple of {multiple_of}");
                }
                text
            }
            ParamKind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            ParamKind::Choice(words) => words.join(" or "),
            ParamKind::Spec { .. } => "the spec of a strategy".to_owned(),
        }
    }

    fn read(&self, text: &str) -> Option<Value> {
        match self.kind {
            ParamKind::Int {
                min,
                max,
                multiple_of,
                ..
            } => {
                let value: i64 = text.parse().ok()?;
                ((min..=max).contains(&value) && value % multiple_of == 0)
                    .then_some(Value::Int(value))
            }
            ParamKind::Float { min, max, .. } => {
                let value: f64 = text.parse().ok()?;
                (min..=max).contains(&value).then_some(Value::Float(value))
            }
            ParamKind::Choice(words) => words.contains(&text).then(|| Value::Word(text.to_owned())),
            ParamKind::Spec { .. } => (!text.is_empty()).then(|| Value::Word(text.to_owned())),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Int(i64),
    Float(f64),
    Word(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Word(value) => value.clone(),
        }
    }
}

/// The values of a strategy's parameters, all within their ranges.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    declared: &'static [Param],
    values: Vec<Value>,
}

impl Params {
    /// The defaults of these parameters.
    #[must_use]
    pub fn defaults(declared: &'static [Param]) -> Self {
        Self {
            declared,
            values: declared.iter().map(Param::default_value).collect(),
        }
    }

    /// Sets parameter `name` from its text in a spec.
    ///
    /// # Errors
    ///
    /// When there is no such parameter (the error lists those there are) or the value is out of
    /// range (the error gives the range).
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let Some(i) = self.declared.iter().position(|param| param.name == name) else {
            let names: Vec<&str> = self.declared.iter().map(|param| param.name).collect();
            let valid = if names.is_empty() {
                "it takes none".to_owned()
            } else {
                format!("it takes: {}", names.join(", "))
            };
            return Err(Error::new(
                ErrorKind::Syntax,
                format!("unknown parameter {name:?}; {valid}"),
            ));
        };
        let param = &self.declared[i];
        self.values[i] = param.read(text).ok_or_else(|| {
            Error::new(
                ErrorKind::Syntax,
                format!("{name}={text}: expected {}", param.range_text()),
            )
        })?;
        Ok(())
    }

    /// Whether parameter `name` takes the spec of another strategy.
    pub(crate) fn is_spec(&self, name: &str) -> bool {
        let mut declared = self.declared.iter();
        declared.any(|it| it.name == name && matches!(it.kind, ParamKind::Spec { .. }))
    }

    fn value(&self, name: &str) -> &Value {
        let i = self
            .declared
            .iter()
            .position(|param| param.name == name)
            .unwrap_or_else(|| panic!("the strategy declares no parameter {name:?}"));
        &self.values[i]
    }

    /// The value of whole-number parameter `name`.
    ///
    /// # Panics
    ///
    /// When the strategy declares no such parameter.
    #[must_use]
    pub fn int(&self, name: &str) -> i64 {
        match self.value(name) {
            Value::Int(value) => *value,
            other => panic!("parameter {name:?} is {other:?}, not a whole number"),
        }
    }

    /// The value of whole-number parameter `name`, whose range lies within `u32`.
    ///
    /// # Panics
    ///
    /// When the strategy declares no such parameter, or its range is wider.
    #[must_use]
    pub fn count(&self, name: &str) -> u32 {
        u32::try_from(self.int(name)).expect("the declared range lies within u32")
    }

    /// The value of decimal parameter `name`.
    ///
    /// # Panics
    ///
    /// When the strategy declares no such parameter.
    #[must_use]
    pub fn float(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Float(value) => *value,
            other => panic!("parameter {name:?} is {other:?}, not a decimal number"),
        }
    }

    /// The value of parameter `name` that is a choice or a spec.
    ///
    /// # Panics
    ///
    /// When the strategy declares no such parameter.
    #[must_use]
    pub fn word(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Word(value) => value,
            other => panic!("parameter {name:?} is {other:?}, not a word"),
        }
    }

    /// The parameters that differ from their defaults, as `name=value` in declared order; a value
    /// that holds a colon or a comma stands in brackets.
    #[must_use]
    pub fn canonical(&self) -> Vec<String> {
        self.declared
            .iter()
            .zip(&self.values)
            .filter(|(param, value)| param.default_value() != **value)
            .map(|(param, value)| {
                let text = value.text();
                if text.contains([':', ',', '[', ']']) {
                    format!("{}=[{text}]", param.name)
                } else {
                    format!("{}={text}", param.name)
                }
            })
            .collect()
    }
}
