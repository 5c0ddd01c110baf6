//! The lists of buckets in use, kept in full at every removal, beside ours, which are read off what
//! the buckets remember.

use bucket_hash::{Count, jump};
use memento::Memento;
use node_buckets::Buckets;
use point_hash::{SplitMix64, rehash};

use crate::memento;

/// Every bucket that was left keeps the whole list of those in use afterwards.
struct Lists {
    /// The buckets in use.
    in_use: Vec<u32>,
    /// Jump's buckets.
    n: u32,
    /// Those left, the last one at the end, and the list without it.
    left: Vec<(u32, Vec<u32>)>,
}

impl Lists {
    fn get(&self, key_hash: u64) -> u32 {
        let mut bucket = jump(key_hash, self.n, &mut ());
        while let Some((_, list)) = self.left.iter().find(|(left, _)| *left == bucket) {
            let place = rehash(key_hash, bucket.into()) % list.len() as u64;
            bucket = list[place as usize];
        }
        bucket
    }

    fn remove(&mut self, bucket: u32) {
        let place = self.in_use.iter().position(|&it| it == bucket).unwrap();
        self.in_use.swap_remove(place);
        if self.left.is_empty() && bucket == self.n - 1 {
            self.n -= 1;
        } else {
            self.left.push((bucket, self.in_use.clone()));
        }
    }

    fn add(&mut self) -> u32 {
        let Some((bucket, _)) = self.left.pop() else {
            self.in_use.push(self.n);
            self.n += 1;
            return self.n - 1;
        };
        self.in_use = match self.left.last() {
            Some((_, before)) => before.clone(),
            None => (0..self.n).collect(),
        };
        bucket
    }
}

#[test]
fn lists_read_off_the_memory_are_those_kept_in_full() {
    for seed in 0..5 {
        let mut random = SplitMix64::new(seed);
        let n = [1, 2, 7, 20, 64][seed as usize];
        let mut ours = memento(n);
        let mut lists = Lists {
            in_use: (0..n).collect(),
            n,
            left: Vec::new(),
        };
        for step in 0..400 {
            let draw = random.draw();
            if lists.in_use.len() > 1 && draw.is_multiple_of(2) {
                let bucket = lists.in_use[(draw >> 32) as usize % lists.in_use.len()];
                lists.remove(bucket);
                ours.remove(bucket);
            } else {
                assert_eq!(ours.add(), lists.add());
            }
            for _ in 0..50 {
                let hash = random.draw();
                assert_eq!(
                    ours.find(hash, &mut ()),
                    lists.get(hash),
                    "seed {seed}, step {step}"
                );
            }
        }
    }
}

/// The mean of hashes a look-up, and of buckets looked at behind those that jump visits.
fn work(memento: &Memento, n: u32) -> (f64, f64) {
    const N_KEYS: u32 = 20_000;
    let mut random = SplitMix64::new(1);
    let (mut count, mut jumps) = (Count::default(), Count::default());
    for _ in 0..N_KEYS {
        let hash = random.draw();
        memento.find(hash, &mut count);
        jump(hash, n, &mut jumps);
    }
    let mean = |n: u32| f64::from(n) / f64::from(N_KEYS);
    let looked_at = mean(count.probes - jumps.probes);
    (mean(count.hash_evals), looked_at)
}

/// Checks hashes and steps through lists after all but `w` of 1000 buckets were left at random. The
/// steps differ from one random order to the next, so they are compared to 15 %.
#[track_caller]
fn check_work(w: u32, expected_steps: f64) {
    let mut random = SplitMix64::new(w.into());
    let mut buckets = memento(1000);
    let mut in_use: Vec<u32> = (0..1000).collect();
    while in_use.len() > w as usize {
        let place = (random.draw() % in_use.len() as u64) as usize;
        buckets.remove(in_use.swap_remove(place));
    }
    let (hashes, looked_at) = work(&buckets, 1000);
    let harmonic: f64 = (w + 1..=1000).map(|i| 1.0 / f64::from(i)).sum();
    assert!((hashes - harmonic).abs() < 0.05, "{w}: {hashes} hashes");
    let steps = looked_at - hashes;
    assert!(
        (steps - expected_steps).abs() < 0.15 * expected_steps,
        "{w}: {steps} steps"
    );
}

/// The numbers of the crate's page, found by a simulation in another language.
#[test]
fn work_is_as_stated() {
    check_work(500, 0.307);
    check_work(100, 6.69);
    check_work(10, 94.4);
}

#[test]
fn the_worst_order_takes_a_step_a_bucket() {
    let mut buckets = memento(1000);
    buckets.remove(0);
    for bucket in (2..1000).rev() {
        buckets.remove(bucket);
    }
    let (hashes, looked_at) = work(&buckets, 1000);
    let steps = looked_at - hashes;
    assert!((900.0..1000.0).contains(&steps), "{steps} steps");
}
