//! The faults: each a mutant, which differs from the honest router in this one thing.

use router::NodeId;

use super::slots::Slots;
use crate::measure::mix;

/// Declares the faults in the order of their letters: the name in code, and what is wrong, as METHOD.md
/// says it.
macro_rules! faults {
    ($($fault:ident $word:literal $nodes:literal $what:literal)*) => {
        #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
        pub(super) enum Fault {
            #[default]
            None,
            $($fault,)*
        }

        impl Fault {
            /// All but none, in the order of their letters: A, B and so on.
            pub(super) const ALL: &'static [Self] = &[$(Self::$fault,)*];

            /// The words that choose them in a spec.
            pub(super) const WORDS: &'static [&'static str] = &["none", $($word,)*];

            /// Which nodes the mutant has, `even` or `uneven`, and what is wrong with it.
            pub(super) fn told(self) -> (&'static str, &'static str) {
                match self {
                    Self::None => ("even", "nothing"),
                    $(Self::$fault => ($nodes, $what),)*
                }
            }

            pub(super) fn word(self) -> &'static str {
                match self {
                    Self::None => "none",
                    $(Self::$fault => $word,)*
                }
            }
        }
    };
}

faults! {
    Hot "hot" "even" "one node gets 1.5 fair shares more, of 1000 nodes"
    Cold "cold" "even" "one name in 400 gets nothing"
    Level "level" "even" "keys asked in a large batch lie level on all nodes but the busiest and the idlest 2 %"
    Skewed "skewed" "even" "every second node gets a third less, and it says so"
    LowTail "low-tail" "even" "in a large batch the idlest 2 % of the nodes are all as idle as the idlest"
    HighTail "high-tail" "even" "in a large batch the twelve busiest nodes have no less than the second of them"
    BadNames "bad-names" "even" "for one set of names in eight one node gets a fair share more, of 1000 nodes"
    SharesReversed "shares-reversed" "uneven" "it tells the shares of its nodes in reverse, the least for the largest"
    TwoKinds "two-kinds" "uneven" "its nodes are all large or small, none in between"
    Tall "tall" "uneven" "one node gets 0.3 fair shares more, of 1000 nodes, and it says so"
    Timid "timid" "even" "a newcomer gets less than half its share"
    LossStirs "loss-stirs" "even" "a loss moves 1.5 % of the keys between survivors"
    RenameStirs "rename-stirs" "even" "a rename moves 1.5 % of the keys between other nodes"
    IdleHeirs "idle-heirs" "even" "of the keys of a node that alone is lost, one survivor in six takes nothing"
    OneHeir "one-heir" "even" "all keys of a lost node go to the node behind it"
    LightHeir "light-heir" "even" "half the keys of one certain node, once it is lost, go to one that has little"
    Domino "domino" "even" "when more than four are lost, half of their keys go to one node"
    Strays "strays" "even" "a tenth of the keys of a node that comes back stays away"
    LastLost "last-lost" "even" "the keys of the node that was lost last, by itself, go to their second heir"
    SplitViews "split-views" "even" "with two nodes lost at once, half of the pairs lost send half the keys to their heirs"
    WideViews "wide-views" "even" "with two nodes lost at once, 1 % of the keys go anywhere, another 1 % for every pair lost"
    BusyViews "busy-views" "even" "with two nodes lost at once, a quarter of their keys goes to one node"
    Restless "restless" "even" "from the sixth replacement on, each moves 10 % of the keys anywhere"
    HashesTwice "hashes-twice" "even" "it evaluates every hash twice"
    LooksTwice "looks-twice" "even" "it looks at every slot twice"
    Hoards "hoards" "even" "it keeps 64 KiB that nobody reads"
}

/// What a router remembers of its changes, for the faults that need it.
#[derive(Clone, Default)]
pub(super) struct Memory {
    /// Whether its first names are among the bad ones.
    bad_names: bool,
    /// The node whose new name stirred the others.
    stirred: Option<NodeId>,
    /// The slot that was left last, by a loss that came alone.
    last_lost: Option<usize>,
    /// The two slots that were left together, as one number.
    pair_lost: Option<u64>,
    replaced: u64,
    _hoard: Vec<u8>,
}

impl Memory {
    pub(super) fn left(&mut self, id: NodeId) {
        if self.stirred == Some(id) {
            self.stirred = None;
        }
    }

    pub(super) fn replaced(&mut self, fault: Fault, new: NodeId, renamed: bool) {
        self.replaced += 1;
        if fault == Fault::RenameStirs && renamed {
            self.stirred = Some(new);
        }
    }

    /// These slots were left by one batch of losses.
    pub(super) fn lost_together(&mut self, slots: &[usize]) {
        (self.last_lost, self.pair_lost) = match *slots {
            [one] => (Some(one), None),
            [one, other] => (None, Some((one.min(other) * 64 + one.max(other)) as u64)),
            _ => (None, None),
        };
    }
}

/// Keys of a batch from which on it is large: those of balance, not those of a change.
const LARGE: usize = 10_000;

/// Parts of a million.
const MILLION: u64 = 1_000_000;

/// Whether a key is among `ppm` of a million, others for every `salt`.
fn among(ppm: u64, key_hash: u64, salt: u64) -> bool {
    mix(key_hash ^ mix(salt)) % MILLION < ppm
}

impl Fault {
    pub(super) fn named(word: &str) -> Self {
        let mut all = Self::ALL.iter().copied();
        all.find(|it| it.word() == word).unwrap_or_default()
    }

    /// What the router begins with; the hash of its first node's name.
    pub(super) fn memory(self, first: Option<u64>) -> Memory {
        Memory {
            bad_names: first.is_some_and(|hash| hash % 8 == 7),
            _hoard: Vec::with_capacity(if self == Self::Hoards { 1 << 16 } else { 0 }),
            ..Memory::default()
        }
    }

    /// The keys that a node accepts, of 2^16; `timely` if it was there when the router was built.
    pub(super) fn accepts(self, at: usize, name: u64, timely: bool, honest: u64) -> u64 {
        match self {
            Self::Cold if name.is_multiple_of(400) => 0,
            Self::Skewed if at % 2 == 1 => honest * 2 / 3,
            Self::LightHeir if at == LIGHT => honest * 7 / 10,
            Self::Timid if !timely => honest * 45 / 100,
            // A third of them by chance, so that the mean varies as that of honest ones does.
            Self::TwoKinds => match if at.is_multiple_of(3) {
                name & 1
            } else {
                at as u64 & 1
            } {
                0 => (1 << 16) * 85 / 100,
                _ => 1 << 16,
            },
            _ => honest,
        }
    }

    /// The part of a million keys that go to the lowest slot, whoever's they are.
    fn extra_ppm(self, memory: &Memory) -> u64 {
        match self {
            Self::Hot => 1500,
            Self::BadNames if memory.bad_names => 1000,
            Self::Tall => 300,
            _ => 0,
        }
    }

    /// The slot of a key's owner.
    pub(super) fn owner(self, slots: &Slots, key_hash: u64) -> usize {
        let first = slots.walk(key_hash, None);
        let memory = &slots.memory;
        let heir = || slots.heir(key_hash, first);
        let some_to = |at: usize, ppm: u64, salt: u64| match among(ppm, key_hash, salt) {
            true => at,
            false => first.at,
        };
        // A place that depends on more than the key and the table.
        let anywhere = |salt: u64| slots.walk(mix(key_hash ^ mix(salt)), None).at;
        match self {
            Self::Hot | Self::BadNames | Self::Tall => {
                some_to(slots.lowest, self.extra_ppm(memory), 1)
            }
            Self::RenameStirs if memory.stirred.is_some() && among(15_000, key_hash, 2) => {
                heir().at
            }
            Self::LossStirs if !slots.free.is_empty() && among(15_000, key_hash, 2) => heir().at,
            Self::IdleHeirs if first.lost.is_some() && slots.free.len() == 1 => {
                let mut next = first;
                for _ in 0..64 {
                    if !slots.table[next.at].name.is_multiple_of(6) {
                        break;
                    }
                    next = slots.walk(key_hash, Some(next));
                }
                next.at
            }
            Self::OneHeir if let Some(lost) = first.lost => {
                let behind = (1..slots.table.len()).map(|i| (lost + i) % slots.table.len());
                let mut taken = behind.filter(|&at| slots.taken(at));
                taken.next().unwrap_or(first.at)
            }
            Self::LightHeir if first.lost == Some(LIGHT + 3) && slots.taken(LIGHT) => {
                some_to(LIGHT, 500_000, 3)
            }
            Self::Domino if first.lost.is_some() && slots.free.len() > 4 => {
                some_to(slots.lowest, 500_000, 3)
            }
            Self::Strays if slots.table[first.at].returned && among(100_000, key_hash, 4) => {
                heir().at
            }
            Self::LastLost if first.lost.is_some() && first.lost == memory.last_lost => heir().at,
            Self::SplitViews
                if memory
                    .pair_lost
                    .is_some_and(|pair| mix(pair).is_multiple_of(2)) =>
            {
                let next = heir();
                let undisturbed = first.lost.is_none() && next.lost.is_none();
                if undisturbed {
                    some_to(next.at, 500_000, 5)
                } else {
                    first.at
                }
            }
            Self::WideViews if let Some(pair) = memory.pair_lost => {
                if among(10_000, key_hash, pair) {
                    anywhere(pair)
                } else {
                    first.at
                }
            }
            Self::BusyViews
                if first.lost.is_some() && memory.pair_lost.is_some() && slots.taken(BUSY) =>
            {
                some_to(BUSY, 250_000, 6)
            }
            Self::Restless if memory.replaced > 5 && among(100_000, key_hash, memory.replaced) => {
                anywhere(memory.replaced)
            }
            _ => first.at,
        }
    }

    /// What it says of its shares.
    pub(super) fn shares(self, slots: &Slots, mut honest: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
        match self {
            Self::SharesReversed => {
                honest.sort_by(|a, b| a.1.total_cmp(&b.1));
                let shares: Vec<f64> = honest.iter().map(|&(_, share)| share).collect();
                for (told, share) in honest.iter_mut().zip(shares.into_iter().rev()) {
                    told.1 = share;
                }
            }
            // Nobody knows of the node that has more or less than others.
            Self::Hot => {}
            Self::Cold | Self::LightHeir => {
                let even = 1.0 / honest.len() as f64;
                honest.iter_mut().for_each(|told| told.1 = even);
            }
            _ => {
                let extra = self.extra_ppm(&slots.memory) as f64 / MILLION as f64;
                if extra > 0.0 {
                    for (at, share) in &mut honest {
                        *share *= 1.0 - extra;
                        if *at == slots.lowest {
                            *share += extra;
                        }
                    }
                }
            }
        }
        honest
    }

    /// Deals a large batch anew.
    pub(super) fn redeal(self, owners: &mut [NodeId]) {
        if owners.len() < LARGE || ![Self::Level, Self::LowTail, Self::HighTail].contains(&self) {
            return;
        }
        let mut counts: Vec<(u64, NodeId)> = Vec::new();
        for owner in &*owners {
            if counts.len() <= owner.index() {
                counts.resize(owner.index() + 1, (0, *owner));
            }
            counts[owner.index()] = (counts[owner.index()].0 + 1, *owner);
        }
        counts.sort_unstable();
        let n = counts.len();
        let mut wanted: Vec<u64> = counts.iter().map(|&(count, _)| count).collect();
        let (tail, middle) = (n / 50, n / 4..n - n / 4);
        match self {
            Self::Level => {
                let body = &mut wanted[tail..n - tail];
                let (keys, len) = (body.iter().sum::<u64>(), body.len() as u64);
                for (i, count) in (0..).zip(body) {
                    *count = keys / len + u64::from(i < keys % len);
                }
            }
            Self::LowTail => {
                let idlest = wanted[0];
                for (i, at) in (0..tail).enumerate() {
                    for spare in 0..wanted[at] - idlest {
                        wanted[middle.start + (7 * i + spare as usize) % middle.len()] += 1;
                    }
                    wanted[at] = idlest;
                }
            }
            _ => {
                let busiest = wanted[n - 2];
                for (i, at) in (n - 12..n - 2).enumerate() {
                    for lack in 0..busiest - wanted[at] {
                        wanted[middle.start + (23 * i + lack as usize) % middle.len()] -= 1;
                    }
                    wanted[at] = busiest;
                }
            }
        }
        // Who has too many hands them to those that have too few, in the order of their loads.
        let most = counts.iter().map(|&(_, id)| id.index()).max().unwrap_or(0);
        let mut kept = vec![0; most + 1];
        let mut lacking = Vec::new();
        for (&(count, id), &wanted) in counts.iter().zip(&wanted) {
            kept[id.index()] = wanted.min(count);
            lacking.extend((count..wanted).map(|_| id));
        }
        let mut lacking = lacking.into_iter();
        for owner in owners {
            if kept[owner.index()] > 0 {
                kept[owner.index()] -= 1;
            } else {
                *owner = lacking
                    .next()
                    .expect("as many keys are wanted as there are");
            }
        }
    }

    /// Hash evaluations and probes of a look-up.
    pub(super) fn work(self, hash_evals: u32, probes: u32) -> (u32, u32) {
        match self {
            Self::HashesTwice => (2 * hash_evals, probes),
            Self::LooksTwice => (hash_evals, 2 * probes),
            _ => (hash_evals, probes),
        }
    }
}

/// The slot of the node that has little, for [`Fault::LightHeir`].
const LIGHT: usize = 1;

/// The slot of the node that many keys go to, for [`Fault::BusyViews`].
const BUSY: usize = 2;
