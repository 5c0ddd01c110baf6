//! Every key once, however often it comes: exact, and in memory that does not grow with the keys.
//!
//! ```text
//!   keys --by hash--> 256 files --a file at a time--> a set of its keys: the first of each goes on
//!                                                     when the set is full, keys that are not in it
//!                                                     wait in another file for the next set
//! ```
//!
//! The files are temporary ones without a name, so nothing is left of them, however the program ends.

use std::{
    collections::HashSet,
    fs::File,
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _},
};

use super::Records;
use crate::workload::Error;

/// Files that keys are dealt to.
const FILES: usize = 256;
/// Bytes that wait in memory for each of them.
const BUFFER: usize = 1 << 15;
/// The most bytes that the set of keys takes, reckoned with [`OVERHEAD`] for each.
const MOST_SET: usize = 24 << 20;
/// What a key in the set takes beside its own bytes: pointer, length, room in the table, allocation.
const OVERHEAD: usize = 64;
/// The most bytes of keys that one [`Once::read`] begins another key after.
const CHUNK_BYTES: usize = 8 << 20;

/// Keys that have been dealt to files, and come out again without repetitions.
pub(super) struct Once {
    files: Vec<BufWriter<File>>,
    n_in: u64,
    n_out: u64,
    pass: Option<Pass>,
    weighed: [bool; 2],
    most_set: usize,
}

/// One file, read through one set of keys.
struct Pass {
    from: BufReader<File>,
    seen: HashSet<Box<[u8]>>,
    /// Bytes that the set is reckoned to take.
    set_bytes: usize,
    /// Those for whom the set had no room.
    waiting: Option<BufWriter<File>>,
}

/// A key on its way through a file.
struct Item {
    /// Its place among all keys.
    number: u64,
    bytes: u64,
    hits: u64,
    key: Vec<u8>,
}

fn fault(err: io::Error) -> Error {
    Error::new(format!("temporary file for --distinct: {err}"))
}

fn file() -> io::Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(BUFFER, tempfile::tempfile()?))
}

impl Once {
    pub(super) fn new() -> Result<Self, Error> {
        let files = (0..FILES).map(|_| file()).collect::<io::Result<_>>();
        Ok(Self {
            files: files.map_err(fault)?,
            n_in: 0,
            n_out: 0,
            pass: None,
            weighed: [false; 2],
            most_set: MOST_SET,
        })
    }

    /// Deals keys to the files.
    pub(super) fn deal(&mut self, records: &Records) -> Result<(), Error> {
        if !records.keys.is_empty() {
            self.weighed = [!records.bytes.is_empty(), !records.hits.is_empty()];
        }
        for (i, key) in records.keys.keys().iter().enumerate() {
            let mut hasher = DefaultHasher::new();
            hasher.write(key);
            let place = (hasher.finish() % FILES as u64) as usize;
            let item = Item {
                number: self.n_in,
                bytes: records.bytes.get(i).copied().unwrap_or(0),
                hits: records.hits.get(i).copied().unwrap_or(0),
                key: key.to_vec(),
            };
            item.write(&mut self.files[place]).map_err(fault)?;
            self.n_in += 1;
        }
        Ok(())
    }

    /// Appends the next keys to `out`, the first of each, and their places among all keys to
    /// `numbers`; none at the end.
    pub(super) fn read(
        &mut self,
        out: &mut Records,
        numbers: &mut Vec<u64>,
        limit: usize,
    ) -> Result<(), Error> {
        let mut n_bytes = 0;
        while numbers.len() < limit && n_bytes < CHUNK_BYTES {
            let pass = match &mut self.pass {
                Some(pass) => pass,
                None => match self.files.pop() {
                    Some(file) => self.pass.insert(Pass::begin(file).map_err(fault)?),
                    None => break,
                },
            };
            let Some(item) = Item::read(&mut pass.from).map_err(fault)? else {
                let ended = self.pass.take();
                self.files.extend(ended.and_then(|it| it.waiting));
                continue;
            };
            if !pass.is_first(&item, self.most_set).map_err(fault)? {
                continue;
            }
            n_bytes += item.key.len();
            self.n_out += 1;
            numbers.push(item.number);
            out.keys.push(&item.key);
            if self.weighed[0] {
                out.bytes.push(item.bytes);
            }
            if self.weighed[1] {
                out.hits.push(item.hits);
            }
        }
        Ok(())
    }

    /// What came of it.
    pub(super) fn sentence(&self) -> String {
        format!(
            "{} of {} keys repeat an earlier one and were left out; its first row counts",
            self.n_in - self.n_out,
            self.n_in
        )
    }
}

impl Pass {
    fn begin(file: BufWriter<File>) -> io::Result<Self> {
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Self {
            from: BufReader::with_capacity(1 << 18, file),
            seen: HashSet::new(),
            set_bytes: 0,
            waiting: None,
        })
    }

    /// Whether a key is the first of its kind; when that cannot be told yet, it waits.
    fn is_first(&mut self, item: &Item, most_set: usize) -> io::Result<bool> {
        if self.seen.contains(&*item.key) {
            return Ok(false);
        }
        // A single key fits always, however long it is, so that every pass gets somewhere.
        let size = item.key.len() + OVERHEAD;
        if !self.seen.is_empty() && self.set_bytes + size > most_set {
            // What comes behind a key that waits must not go in front of it, even where it would fit.
            self.set_bytes = most_set;
            let waiting = match &mut self.waiting {
                Some(waiting) => waiting,
                None => self.waiting.insert(file()?),
            };
            item.write(waiting)?;
            return Ok(false);
        }
        self.set_bytes += size;
        self.seen.insert(item.key.clone().into_boxed_slice());
        Ok(true)
    }
}

impl Item {
    fn write(&self, to: &mut BufWriter<File>) -> io::Result<()> {
        for number in [self.number, self.bytes, self.hits, self.key.len() as u64] {
            to.write_all(&number.to_le_bytes())?;
        }
        to.write_all(&self.key)
    }

    fn read(from: &mut BufReader<File>) -> io::Result<Option<Self>> {
        let mut head = [[0; 8]; 4];
        match from.read_exact(head.as_flattened_mut()) {
            // Only whole items were written.
            Err(err) if err.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [number, bytes, hits, len] = head.map(u64::from_le_bytes);
        let mut key = vec![0; len as usize];
        from.read_exact(&mut key)?;
        Ok(Some(Self {
            number,
            bytes,
            hits,
            key,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that come out, with weights, by their places.
    fn once(
        keys: impl Iterator<Item = (Vec<u8>, u64)>,
        most_set: usize,
    ) -> Vec<(u64, Vec<u8>, u64)> {
        let mut once = Once::new().unwrap();
        once.most_set = most_set;
        let mut records = Records::default();
        for (key, weight) in keys {
            records.keys.push(&key);
            records.bytes.push(weight);
        }
        once.deal(&records).unwrap();
        let mut found = Vec::new();
        loop {
            let (mut out, mut numbers) = (Records::default(), Vec::new());
            once.read(&mut out, &mut numbers, 1000).unwrap();
            if numbers.is_empty() {
                break;
            }
            assert!(out.hits.is_empty());
            for (i, key) in out.keys.keys().iter().enumerate() {
                found.push((numbers[i], key.to_vec(), out.bytes[i]));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn the_first_of_each_counts() {
        let keys = |i: u64| (format!("k{}", i * i % 1009).into_bytes(), i);
        let found = once((0..5000).map(keys), MOST_SET);
        let mut seen = HashSet::new();
        let expected = (0..5000).map(|i| (i, keys(i)));
        let expected = expected.filter(|(_, (key, _))| seen.insert(key.clone()));
        let expected: Vec<_> = expected
            .map(|(i, (key, weight))| (i, key, weight))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn more_than_a_set_holds() {
        // Some twenty keys in each file, and four in a set: five times through what is left of it.
        let keys = |i: u64| (format!("k{}", i % 5000).into_bytes(), i);
        let found = once((0..15_000).map(keys), 4 * (OVERHEAD + 5));
        let expected = (0..5000).map(|i| (i, keys(i).0, i));
        assert_eq!(found, expected.collect::<Vec<_>>());
        // A key that is longer than the whole set has room in it alone.
        let long = |i: u64| (vec![b'a' + i as u8 % 3; 1000], i);
        let found = once((0..9).map(long), 100);
        assert_eq!(found, [0, 1, 2].map(|i| (i, long(i).0, i)));
    }
}
