//! Specs (`NAME[:param=value,...]`) and the catalog that reads them.

use std::{collections::BTreeMap, fmt, sync::Arc};

use crate::{
    Capabilities, Error, ErrorKind, Estimate, HashFn, Members, Params, Question, Router, Strategy,
};

/// A set of strategies with distinct names. Copying it is cheap.
#[derive(Clone, Debug)]
pub struct Catalog {
    strategies: Arc<[&'static Strategy]>,
}

impl Catalog {
    /// A catalog of these strategies, in this order.
    ///
    /// # Errors
    ///
    /// When two strategies have one name.
    pub fn new(strategies: impl IntoIterator<Item = &'static Strategy>) -> Result<Self, Error> {
        let strategies: Arc<[_]> = strategies.into_iter().collect();
        let mut families = BTreeMap::new();
        for strategy in &*strategies {
            if let Some(other) = families.insert(strategy.name, strategy.family) {
                return Err(Error::new(
                    ErrorKind::Duplicate,
                    format!(
                        "two strategies are called {:?}: one of {other}, one of {}",
                        strategy.name, strategy.family
                    ),
                ));
            }
        }
        Ok(Self { strategies })
    }

    /// The strategies in order.
    #[must_use]
    pub fn strategies(&self) -> &[&'static Strategy] {
        &self.strategies
    }

    /// Reads a spec: `NAME`, or `NAME:param=value,param=value`; a value that holds a colon or a
    /// comma stands in brackets, as in `bounded-load:base=[vec-ring:vnodes=160],factor=1.25`.
    ///
    /// # Errors
    ///
    /// An unknown name or parameter, or a value out of range: the error lists what is valid.
    pub fn parse(&self, text: &str) -> Result<Spec, Error> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let Some(strategy) = self.strategies.iter().find(|it| it.name == name) else {
            let names: Vec<&str> = self.strategies.iter().map(|it| it.name).collect();
            return Err(Error::new(
                ErrorKind::Syntax,
                format!("unknown strategy {name:?}; valid are: {}", names.join(", ")),
            ));
        };
        let located = |err: Error| Error::new(err.kind(), format!("{text}: {err}"));
        let mut params = Params::defaults(strategy.params);
        if let Some(rest) = rest {
            self.assign(&mut params, rest).map_err(located)?;
        }
        let spec = Spec {
            strategy,
            params,
            catalog: self.clone(),
        };
        // A wrapper's base is read here, so that a wrong one is known before anything is built.
        (strategy.check)(&spec.params, &Members::default(), self).map_err(located)?;
        Ok(spec)
    }

    /// Sets parameters from `param=value,param=value`.
    fn assign(&self, params: &mut Params, text: &str) -> Result<(), Error> {
        let mut given: Vec<&str> = Vec::new();
        for assignment in split_outside_brackets(text)? {
            let Some((param, value)) = assignment.split_once('=') else {
                return Err(Error::new(
                    ErrorKind::Syntax,
                    format!("expected param=value, found {assignment:?}"),
                ));
            };
            if given.contains(&param) {
                return Err(Error::new(
                    ErrorKind::Syntax,
                    format!("parameter {param:?} is given twice"),
                ));
            }
            given.push(param);
            self.set(params, param, without_brackets(value))?;
        }
        Ok(())
    }

    /// Sets one parameter. The spec of another strategy is read here and kept as its canonical
    /// self, so that two ways to write one thing have one label.
    fn set(&self, params: &mut Params, param: &str, value: &str) -> Result<(), Error> {
        if params.is_spec(param) {
            let inner = self.parse(value)?;
            return params.set(param, &inner.to_string());
        }
        params.set(param, value)
    }
}

/// Splits at commas that stand in no bracket.
fn split_outside_brackets(text: &str) -> Result<Vec<&str>, Error> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => {
                return Err(Error::new(ErrorKind::Syntax, "']' without '['"));
            }
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(Error::new(ErrorKind::Syntax, "'[' without ']'"));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// Takes off one pair of brackets that encloses the whole value.
fn without_brackets(value: &str) -> &str {
    value
        .strip_prefix('[')
        .and_then(|value| value.strip_suffix(']'))
        .unwrap_or(value)
}

/// A strategy with values for its parameters, and the catalog it came from.
///
/// Displays as the canonical spec: the parameters that differ from their defaults, in declared
/// order. That is its label in tables and charts.
#[derive(Clone, Debug)]
pub struct Spec {
    strategy: &'static Strategy,
    params: Params,
    catalog: Catalog,
}

impl Spec {
    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> &'static Strategy {
        self.strategy
    }

    /// The values of its parameters.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The catalog that it was read from.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What the strategy hashes keys with, given these parameters.
    #[must_use]
    pub fn hash(&self) -> &'static HashFn {
        (self.strategy.hash_with)(&self.params).unwrap_or(self.strategy.hash)
    }

    /// What the strategy claims with these parameters.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        (self.strategy.capabilities)(&self.params, &self.catalog)
    }

    /// What theory says, for equal weights; `None` where it says nothing.
    #[must_use]
    pub fn expected(&self, question: Question) -> Option<Estimate> {
        (self.strategy.expected)(&self.params, question)
    }

    /// The same strategy with one parameter changed.
    ///
    /// # Errors
    ///
    /// When there is no such parameter or the value is out of range.
    pub fn with(&self, param: &str, value: &str) -> Result<Self, Error> {
        let mut spec = self.clone();
        self.catalog.set(&mut spec.params, param, value)?;
        Ok(spec)
    }

    /// The same spec with the parameters that its strategy asks for in the contract suite's small
    /// worlds, others as they are. A strategy that wraps another has that one's small form.
    ///
    /// # Errors
    ///
    /// When [`Strategy::suite_params`] cannot be read.
    pub fn small(&self) -> Result<Self, Error> {
        let mut spec = self.clone();
        for param in self.strategy.params {
            if spec.params.is_spec(param.name) {
                let inner = self.catalog.parse(spec.params.word(param.name))?;
                spec.params.set(param.name, &inner.small()?.to_string())?;
            }
        }
        if !self.strategy.suite_params.is_empty() {
            self.catalog
                .assign(&mut spec.params, self.strategy.suite_params)?;
        }
        Ok(spec)
    }

    /// Whether the strategy can serve these members.
    ///
    /// # Errors
    ///
    /// Says why not.
    pub fn check(&self, members: &Members) -> Result<(), Error> {
        (self.strategy.check)(&self.params, members, &self.catalog)
    }

    /// Makes a router and brings it to `members`. Most callers want a [`crate::Cluster`], which
    /// also checks the members; this is for wrappers and for measuring a router alone.
    ///
    /// # Errors
    ///
    /// When the strategy cannot serve these members.
    pub fn router(&self, members: &Members) -> Result<Box<dyn Router>, Error> {
        self.check(members)?;
        let mut router = (self.strategy.build)(&self.params, members, &self.catalog)?;
        router.update(members, &[]);
        Ok(router)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.strategy.name)?;
        let params = self.params.canonical();
        if params.is_empty() {
            return Ok(());
        }
        write!(f, ":{}", params.join(","))
    }
}
