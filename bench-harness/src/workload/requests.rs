//! Requests with times: drawn by seed, or read from an access log, piece by piece.

use std::{path::Path, sync::atomic::Ordering};

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use router::KeyBuf;

use super::{
    Error, KeySet, Purpose,
    csv_input::{CsvInput, SECONDS, a_whole_number, seconds, whole},
    input::{Input, Meter, shown},
    ranks, stream, zipf_shares,
};

/// Requests that are read at once: enough for a sweep over a ring to pay, few enough to stay small.
const CHUNK: usize = 1 << 16;

/// The most bytes of keys that one read begins another request after.
const CHUNK_BYTES: usize = 8 << 20;

/// Some requests, in the order of their times.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// When each was made, in seconds; never falling.
    pub times: Vec<f64>,
    /// The key of each.
    pub keys: KeyBuf,
    /// Bytes of what is stored under the key.
    pub bytes: Vec<u64>,
}

impl Requests {
    /// Drops all requests and keeps the memory.
    fn clear(&mut self) {
        self.times.clear();
        self.keys.clear();
        self.bytes.clear();
    }
}

/// An access log: CSV with a first row that names the columns `time` (seconds from any moment, whole
/// or with a fraction), `key` and `bytes` (whole); other columns may stand there too.
///
/// What begins like gzip or zstd is unpacked. It is read once, in constant memory.
pub struct RequestLog {
    input: CsvInput,
    meter: Meter,
    name: String,
    /// Places of time, key and bytes.
    columns: [usize; 3],
    /// The time of the request before.
    last: f64,
}

impl RequestLog {
    /// Opens a log, or standard input where `path` is `-`.
    ///
    /// # Errors
    ///
    /// When there is no such file, it cannot be read, or it lacks a column.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (input, meter) = Input::open_unpacked(path)?;
        let input = CsvInput::open(input)?;
        Ok(Self {
            columns: [
                input.column("time")?,
                input.column("key")?,
                input.column("bytes")?,
            ],
            input,
            meter,
            name: shown(path),
            last: 0.0,
        })
    }

    /// Puts the next requests into `out`, at most some 65,000 of them and about 8 MiB of keys, and
    /// returns how many. 0 means that the log has ended.
    ///
    /// # Errors
    ///
    /// A row that cannot be read, with its line: a time that is no number or lies before that of the
    /// row above it, bytes that are no whole number, too few fields.
    pub fn read(&mut self, out: &mut Requests) -> Result<usize, Error> {
        out.clear();
        let [time, key, bytes] = self.columns;
        let (input, mut n_bytes) = (&mut self.input, 0);
        while out.times.len() < CHUNK && n_bytes < CHUNK_BYTES && input.next()? {
            let at = seconds(input.field(time))
                .ok_or_else(|| input.unexpected("time", time, SECONDS))?;
            if at < self.last {
                let expected = format!("{} or later, as in the row above", self.last);
                return Err(input.unexpected("time", time, &expected));
            }
            self.last = at;
            let size = whole(input.field(bytes))
                .ok_or_else(|| input.unexpected("bytes", bytes, &a_whole_number()))?;
            out.times.push(at);
            out.bytes.push(size);
            n_bytes += input.field(key).len();
            out.keys.push(input.field(key));
        }
        Ok(out.times.len())
    }

    /// What a person should know of the log as far as it was read.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.meter.cut_off.load(Ordering::Relaxed).then(|| {
            let name = &self.name;
            format!("{name}: warning: the packed data are cut off; what stands before the cut was replayed")
        })
    }
}

/// What the requests of a seed look like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Traffic {
    /// Distinct keys.
    pub keys: usize,
    /// Exponent of their popularity.
    pub zipf: f64,
    /// Fewest and most bytes of a key; its logarithm is uniform between them.
    pub bytes: [u64; 2],
    /// Requests a second, evenly spaced.
    pub rate: f64,
    /// How long it lasts, from 0.
    pub seconds: f64,
}

/// The requests of a seed: keys `hex64`, with ranks dealt by [`ranks`] and requests drawn by Zipf's
/// law from the stream [`Purpose::Order`], one draw each; bytes from [`Purpose::Bytes`], one draw a
/// key. Request i comes at i / rate.
#[derive(Debug)]
pub struct SeededRequests {
    traffic: Traffic,
    keys: KeyBuf,
    bytes: Vec<u64>,
    /// The key of each rank.
    key_of_rank: Vec<u32>,
    /// The share of requests of each rank and those before it.
    up_to: Vec<f64>,
    rng: Pcg64Mcg,
    n_read: u64,
}

impl SeededRequests {
    /// The requests of this seed, from the first.
    #[must_use]
    pub fn new(seed: u64, traffic: Traffic) -> Self {
        let n = traffic.keys;
        let mut key_of_rank = vec![0; n];
        for (key, rank) in (0..).zip(ranks(seed, n)) {
            key_of_rank[rank] = key;
        }
        let mut sum = 0.0;
        let shares = zipf_shares(n, traffic.zipf).into_iter();
        let up_to = shares.map(|share| {
            sum += share;
            sum
        });
        let [least, most] = traffic.bytes.map(|it| it as f64);
        let mut sizes = stream(seed, Purpose::Bytes);
        let bytes = (0..n).map(|_| {
            let size = least * libm::pow(most / least, unit(&mut sizes));
            libm::round(size) as u64
        });
        Self {
            keys: KeySet::Hex64.keys(seed, n as u64),
            bytes: bytes.collect(),
            key_of_rank,
            up_to: up_to.collect(),
            rng: stream(seed, Purpose::Order),
            n_read: 0,
            traffic,
        }
    }

    /// Puts the next requests into `out` and returns how many. 0 means that they have ended.
    pub fn read(&mut self, out: &mut Requests) -> usize {
        out.clear();
        while out.times.len() < CHUNK {
            let time = self.n_read as f64 / self.traffic.rate;
            if time >= self.traffic.seconds {
                break;
            }
            let at = unit(&mut self.rng);
            let rank = self.up_to.partition_point(|&it| it <= at);
            let key = self.key_of_rank[rank.min(self.traffic.keys - 1)] as usize;
            out.times.push(time);
            out.keys.push(self.keys.keys().get(key));
            out.bytes.push(self.bytes[key]);
            self.n_read += 1;
        }
        out.times.len()
    }
}

/// A number from 0 up to 1, of 53 bits of one draw.
fn unit(rng: &mut Pcg64Mcg) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
