//! Keys are bytes: any bytes, all of them, and nothing else.

use crate::{Cluster, KeyBuf, NodeId, Spec};

use super::{
    Bench, Checked, Stop,
    answers::only_present,
    draw::{self, Rng},
    guard,
    show::{show_key, show_nodes},
    worlds::owners,
};

/// Empty, long, binary and point-label keys are keys like others.
pub(super) fn hostile_keys(bench: &Bench) -> Checked {
    let mut rng = Rng::new(20);
    for (spec, n) in [
        (&bench.small, 1),
        (&bench.small, 3),
        (&bench.spec, 1),
        (&bench.spec, 9),
    ] {
        let names = rng.addresses(bench.room(n));
        ask_hostile(bench, spec, &names).map_err(|stop| stop.naming(bench, spec))?;
    }
    Ok(())
}

fn ask_hostile(bench: &Bench, spec: &Spec, names: &[String]) -> Checked {
    let nodes: Vec<_> = names.iter().map(|name| name.as_str().into()).collect();
    let cluster = bench.build(spec, &nodes)?;
    let mut keys = draw::hostile_keys();
    keys.push(vec![b'k'; 65_536]);
    keys.push(vec![0; 1 << 20]);
    keys.extend(names.iter().map(|name| name.clone().into_bytes()));
    // Every label of a small ring; of one with many points, as many evenly chosen.
    let points = guard(|| cluster.points())?.unwrap_or_default();
    let labels = points.iter().step_by(points.len() / 2000 + 1);
    keys.extend(labels.map(|point| point.label.clone().into_bytes()));
    bench.count(keys.len());
    for key in &keys {
        answers_well(&cluster, key)
            .map_err(|err| format!("{} {err}; {}", show_key(key), show_nodes(&cluster)))?;
    }
    Ok(())
}

/// Asks for `key` alone, again, and as a batch.
fn answers_well(cluster: &Cluster, key: &[u8]) -> Result<(), String> {
    let owner = guard(|| cluster.route(key))?;
    only_present(cluster, owner)?;
    let mut batch = [NodeId::default()];
    guard(|| cluster.route_batch(KeyBuf::from_iter([key]).keys(), &mut batch))?;
    if guard(|| cluster.route(key))? != owner || Some(batch[0]) != owner {
        return Err("has another owner when asked again".into());
    }
    Ok(())
}

/// How two keys are seen to be told apart.
enum By {
    /// By their owners, of which two random keys have different ones often enough.
    Owner,
    /// By their hashes, as the strategy tells them: a hash that does not mix gives keys that
    /// differ little one owner, as it should.
    Hash,
}

/// Every byte of a key counts, and nothing but its bytes.
pub(super) fn key_bytes(bench: &Bench) -> Checked {
    let mut rng = Rng::new(21);
    let cluster = bench.cluster(&rng.addresses(bench.room(16)))?;
    nothing_else(bench, &cluster)?;
    let sample = owners(&cluster, &rng.hex_keys(400));
    let apart = chance_apart(&cluster, &sample);
    let by = match bench.spec.hash().mixes {
        true => By::Owner,
        false => By::Hash,
    };
    match by {
        By::Hash if cluster.trace(b"key").is_none_or(|it| it.key_hash.is_none()) => {
            return Err(Stop::Unsupported(
                "its hash does not mix, and it does not tell a key's hash".into(),
            ));
        }
        By::Owner if apart < 0.02 => {
            return Err(Stop::Unsupported("one node owns nearly all keys".into()));
        }
        _ => {}
    }
    // Of so many pairs none has two owners by chance with a probability of 1e-12; about 600 places
    // are tried, so the false-alarm rate is below 1e-9.
    let n_pairs = libm::ceil(28.0 / apart.max(0.02)) as usize;
    for (how, vary) in VARIATIONS {
        let pairs = (0..n_pairs).map(|_| {
            let key = printable(&mut rng, 8);
            let other = vary(key.clone());
            (key, other)
        });
        let pairs: Vec<_> = pairs.collect();
        told_apart(bench, &cluster, &by, &pairs, || {
            format!("{how} does not count")
        })?;
    }
    // Of the 90 keys of one byte all may have one owner, where one node owns nearly all keys.
    let lengths = LENGTHS.into_iter().filter(|&len| len > 2 || apart > 0.3);
    for len in lengths {
        for place in places(&mut rng, len) {
            let pairs = (0..n_pairs).map(|_| {
                let key = printable(&mut rng, len);
                let mut other = key.clone();
                while other[place] == key[place] {
                    other[place] = printable(&mut rng, 1)[0];
                }
                (key, other)
            });
            let pairs: Vec<_> = pairs.collect();
            told_apart(bench, &cluster, &by, &pairs, || {
                format!("byte {} of {len} does not count", place + 1)
            })?;
        }
    }
    Ok(())
}

/// Around the block sizes of common hashes, and far beyond.
const LENGTHS: [usize; 30] = [
    1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 200,
    240, 241, 256, 257, 300, 1024,
];

/// A way to make another key of one.
type Vary = fn(Vec<u8>) -> Vec<u8>;

const VARIATIONS: [(&str, Vary); 4] = [
    ("a NUL at the end", |key| [key, b"\0".to_vec()].concat()),
    ("a blank at the end", |key| [key, b" ".to_vec()].concat()),
    ("a blank at the beginning", |key| {
        [b" ".to_vec(), key].concat()
    }),
    ("upper or lower case", |key| key.to_ascii_uppercase()),
];

/// ASCII but for blanks and controls, which programs that decode text read as it is, and but for what
/// follows `z`: braces mark a hash tag, and then the bytes outside do not count.
fn printable(rng: &mut Rng, len: usize) -> Vec<u8> {
    const CHARS: [u8; 90] = {
        let mut chars = [b'!'; 90];
        let mut i = 0;
        while i < chars.len() {
            chars[i] += i as u8;
            i += 1;
        }
        chars
    };
    (0..len).map(|_| *rng.pick(&CHARS)).collect()
}

/// All places of a short key; of a long one the first and last few and some between.
fn places(rng: &mut Rng, len: usize) -> Vec<usize> {
    if len <= 33 {
        return (0..len).collect();
    }
    let between: Vec<usize> = (0..8).map(|_| rng.below(len)).collect();
    (0..8).chain(between).chain(len - 8..len).collect()
}

/// The chance that two random keys have different owners, from a sample of owners.
fn chance_apart(cluster: &Cluster, owners: &[Option<NodeId>]) -> f64 {
    let n = owners.len() as f64;
    let share = |id: NodeId| owners.iter().filter(|owner| **owner == Some(id)).count() as f64 / n;
    1.0 - cluster
        .nodes()
        .iter()
        .map(|node| share(node.id) * share(node.id))
        .sum::<f64>()
}

/// Fails with `fault` unless some pair is told apart.
fn told_apart(
    bench: &Bench,
    cluster: &Cluster,
    by: &By,
    pairs: &[(Vec<u8>, Vec<u8>)],
    fault: impl Fn() -> String,
) -> Checked {
    bench.count(pairs.len());
    let apart = match by {
        By::Owner => {
            let keys: KeyBuf = pairs.iter().flat_map(|(one, other)| [one, other]).collect();
            owners(cluster, &keys)
                .chunks(2)
                .any(|pair| pair[0] != pair[1])
        }
        By::Hash => {
            let hash = |key: &[u8]| cluster.trace(key).and_then(|trace| trace.key_hash);
            pairs.iter().any(|(one, other)| hash(one) != hash(other))
        }
    };
    if apart {
        return Ok(());
    }
    let (one, other) = &pairs[0];
    let what = match by {
        By::Owner => "owner",
        By::Hash => "hash",
    };
    Err(Stop::Failed(format!(
        "{}: {} pairs that differ in nothing else each have one {what}, such as {} and {}",
        fault(),
        pairs.len(),
        show_key(one),
        show_key(other)
    )))
}

/// The owner depends on the key's bytes alone: not on where they lie, nor on what lies around them.
fn nothing_else(bench: &Bench, cluster: &Cluster) -> Checked {
    let mut rng = Rng::new(22);
    for len in [0, 1, 3, 8, 17, 40, 300] {
        let key = printable(&mut rng, len);
        let owner = cluster.route(&key);
        for offset in 0..16 {
            for around in [0, b'a', 0xff] {
                bench.count(1);
                let mut memory = vec![around; offset];
                memory.extend_from_slice(&key);
                memory.extend([around; 16]);
                if cluster.route(&memory[offset..offset + len]) != owner {
                    return Err(Stop::Failed(format!(
                        "{} has another owner when byte {around} lies around it in memory",
                        show_key(&key)
                    )));
                }
            }
        }
    }
    Ok(())
}
