//! The paper's lists kept as it writes them, beside ours, which are read off the removals.

use anchor::{Anchor, JumpBackAnchor};
use bucket_hash::Count;
use node_buckets::Buckets;
use point_hash::{SplitMix64, rehash};

use crate::anchor;

/// Figure by figure as in the paper: all arrays in full, every bucket of the capacity in them.
struct Paper {
    a: Vec<usize>,
    k: Vec<usize>,
    w: Vec<usize>,
    l: Vec<usize>,
    r: Vec<usize>,
    n: usize,
}

impl Paper {
    fn new(capacity: usize, n: usize) -> Self {
        let identity: Vec<usize> = (0..capacity).collect();
        let a = (0..capacity).map(|b| if b < n { 0 } else { b }).collect();
        Self {
            a,
            k: identity.clone(),
            w: identity.clone(),
            l: identity,
            r: (n..capacity).rev().collect(),
            n,
        }
    }

    fn get(&self, key_hash: u64) -> usize {
        let mut b = (key_hash % self.a.len() as u64) as usize;
        while self.a[b] > 0 {
            let mut h = (rehash(key_hash, b as u64) % self.a[b] as u64) as usize;
            while self.a[h] >= self.a[b] {
                h = self.k[h];
            }
            b = h;
        }
        b
    }

    fn add(&mut self) -> usize {
        let b = self.r.pop().unwrap();
        let n = self.n;
        self.a[b] = 0;
        self.l[self.w[n]] = n;
        self.w[self.l[b]] = b;
        self.k[b] = b;
        self.n += 1;
        b
    }

    fn remove(&mut self, b: usize) {
        self.r.push(b);
        self.n -= 1;
        let n = self.n;
        self.a[b] = n;
        self.w[self.l[b]] = self.w[n];
        self.k[b] = self.w[n];
        self.l[self.w[n]] = self.l[b];
    }
}

#[test]
fn lists_read_off_the_removals_are_those_of_the_paper() {
    let mut random = SplitMix64::new(1);
    for (capacity, n) in [(1, 1), (2, 1), (7, 7), (20, 12), (64, 3)] {
        let mut paper = Paper::new(capacity as usize, n as usize);
        let mut ours = anchor(capacity, n);
        for step in 0..400 {
            let draw = random.draw();
            let full = paper.n == paper.a.len();
            if paper.n > 1 && (full || draw.is_multiple_of(2)) {
                let in_use = &paper.w[..paper.n];
                let bucket = in_use[(draw >> 32) as usize % in_use.len()];
                paper.remove(bucket);
                ours.remove(u32::try_from(bucket).unwrap());
            } else if !full {
                assert_eq!(ours.add() as usize, paper.add());
            }
            for _ in 0..50 {
                let hash = random.draw();
                assert_eq!(
                    ours.find(hash, &mut ()) as usize,
                    paper.get(hash),
                    "{capacity} buckets, step {step}, hash {hash}"
                );
            }
        }
    }
}

/// Checks the work of a look-up after all but `n` of 1000 buckets were left in random order. While
/// none was, it takes `hashes` and `probes`. Each hash more is a probe more, and steps through
/// lists come on top; these differ from one order to the next and are compared to 15 %.
#[track_caller]
fn check_work<B: Buckets>(mut buckets: B, (hashes, probes): (f64, f64), n: u32, steps: f64) {
    const N_KEYS: u32 = 20_000;
    let mut random = SplitMix64::new(u64::from(n));
    let mut in_use: Vec<u32> = (0..1000).map(|_| buckets.add()).collect();
    while in_use.len() > n as usize {
        let place = (random.draw() % in_use.len() as u64) as usize;
        buckets.remove(in_use.swap_remove(place));
    }
    let mut count = Count::default();
    for _ in 0..N_KEYS {
        buckets.find(random.draw(), &mut count);
    }
    let mean = |n: u32| f64::from(n) / f64::from(N_KEYS);
    let more_hashes = mean(count.hash_evals) - hashes;
    let harmonic: f64 = (n + 1..=1000).map(|i| 1.0 / f64::from(i)).sum();
    assert!(
        (more_hashes - harmonic).abs() < 0.05,
        "{n}: {more_hashes} more hashes"
    );
    let found = mean(count.probes) - probes - more_hashes;
    assert!((found - steps).abs() < 0.15 * steps, "{n}: {found} steps");
}

/// The numbers of the crate's page, found by a simulation in another language.
#[test]
fn work_after_removals_is_as_stated() {
    for (n, steps) in [(500, 0.243), (100, 2.69)] {
        check_work(Anchor::new(1000), (0.0, 1.0), n, steps);
        let s = 24.0 / 1024.0;
        let work = (1.0 + s / (1.0 - s * s), 1.0 + 1.5 * s / (1.0 - s));
        check_work(JumpBackAnchor::new(), work, n, steps);
    }
}
