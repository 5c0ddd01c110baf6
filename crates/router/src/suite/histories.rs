//! Histories: lists of steps, each a list of changes that are applied at once.

use crate::{Change, NodeSpec};

use super::draw::{COLLIDING, Rng, SHORT};

/// A history of two nodes that share a point on some well-known ring, and a third: each of the two
/// leaves and returns while the others stay.
pub(super) fn collision_history(one: &str, other: &str) -> Vec<Vec<Change>> {
    let add = |name: &str| vec![Change::Add(name.into())];
    let remove = |name: &str| vec![Change::Remove(name.to_owned())];
    let third = "third";
    vec![
        add(one),
        add(other),
        add(third),
        remove(one),
        add(one),
        remove(other),
        add(other),
        remove(third),
    ]
}

/// A long history, drawn at random.
pub(super) struct Walk {
    pub(super) seed: u64,
    /// The most nodes at a time.
    pub(super) most: usize,
    /// The number of steps behind the first, which adds three quarters of the most nodes.
    pub(super) steps: usize,
    /// Whether nodes have other weights than 1, and change them.
    pub(super) weighted: bool,
}

impl Walk {
    /// The names that may occur: half as many again as there may be nodes, so that they return,
    /// among them short, colliding, long and non-ASCII ones.
    pub(super) fn names(&self) -> Vec<String> {
        let mut rng = Rng::new(0x6e61_6d65 + self.seed);
        let mut names = rng.addresses(self.most + self.most / 2 + 1);
        names.extend(SHORT.map(String::from));
        for (one, other) in &COLLIDING[..4] {
            names.extend([one, other].map(|&name| name.to_owned()));
        }
        names.push("caf\u{e9} \u{1f980}".to_owned());
        names.push("n".repeat(255));
        rng.shuffle(&mut names);
        names
    }

    /// Draws steps that a cluster accepts, of one to three changes, no name in two changes of one
    /// step.
    pub(super) fn history(&self, names: &[&str], any_removal: bool) -> Vec<Vec<Change>> {
        let mut rng = Rng::new(0x7761_6c6b + self.seed);
        let mut present: Vec<&str> = names[..self.most - self.most / 4].to_vec();
        let first = present.iter();
        let first = first.map(|name| Change::Add(NodeSpec::new(*name, self.weight(&mut rng))));
        let mut history = vec![first.collect()];
        for _ in 0..self.steps {
            let mut step: Vec<Change> = Vec::new();
            let mut touched: Vec<&str> = Vec::new();
            for _ in 0..*rng.pick(&[1, 1, 1, 2, 3]) {
                let change = self.change(&mut rng, names, &mut present, &mut touched, any_removal);
                step.extend(change);
            }
            if !step.is_empty() {
                history.push(step);
            }
        }
        history
    }

    fn weight(&self, rng: &mut Rng) -> u32 {
        match self.weighted {
            true => *rng.pick(&[0, 1, 1, 1, 2, 2, 3, 7]),
            false => 1,
        }
    }

    /// One change of the nodes `present`; none when what was drawn is not possible.
    fn change<'a>(
        &self,
        rng: &mut Rng,
        names: &[&'a str],
        present: &mut Vec<&'a str>,
        touched: &mut Vec<&'a str>,
        any_removal: bool,
    ) -> Option<Change> {
        let place = match present.len() {
            0 => None,
            n if any_removal => Some(rng.below(n)),
            n => Some(n - 1),
        };
        let old = place.filter(|&place| !touched.contains(&present[place]));
        let new = Some(*rng.pick(names));
        let new = new.filter(|name| !present.contains(name) && !touched.contains(name));
        match (rng.below(8), old, new) {
            (0..=2, _, Some(new)) if present.len() < self.most => {
                present.push(new);
                touched.push(new);
                Some(Change::Add(NodeSpec::new(new, self.weight(rng))))
            }
            (3..=5, Some(place), _) => {
                let old = present.remove(place);
                touched.push(old);
                Some(Change::Remove(old.to_owned()))
            }
            (6, Some(place), Some(new)) => {
                let old = std::mem::replace(&mut present[place], new);
                touched.extend([old, new]);
                Some(Change::Replace {
                    old: old.to_owned(),
                    new: new.to_owned(),
                })
            }
            (7, Some(place), _) if self.weighted => {
                touched.push(present[place]);
                let weight = self.weight(rng);
                Some(Change::SetWeight(NodeSpec::new(present[place], weight)))
            }
            _ => None,
        }
    }
}
