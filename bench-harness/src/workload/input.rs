//! An open file, or standard input: as it is, or unpacked.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::Error;

/// Bytes that are asked of the system at once.
const BUFFER: usize = 1 << 18;

/// What messages call this file.
#[must_use]
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// An open file, with the name that messages give it.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) reader: Box<dyn BufRead + Send>,
}

/// What is known of a packed or plain file while it is read.
pub(super) struct Meter {
    /// Bytes of the file itself, packed as it is; unknown for a pipe.
    pub(super) size: Option<u64>,
    /// Bytes of it read so far.
    pub(super) read: Arc<AtomicU64>,
    /// Whether packed data ended too early.
    pub(super) cut_off: Arc<AtomicBool>,
}

#[cfg(feature = "parquet")]
impl Meter {
    /// Of a file of this many bytes, of which nothing was read.
    pub(super) fn of_file(size: u64) -> Self {
        Self {
            size: Some(size),
            read: Arc::default(),
            cut_off: Arc::default(),
        }
    }
}

/// Whether `path` is a file that begins with these bytes. A pipe is not asked: what is read from it
/// is gone.
pub(super) fn begins_with(path: &Path, wanted: &[u8]) -> bool {
    let mut head = Vec::new();
    path.is_file()
        && File::open(path)
            .and_then(|it| it.take(wanted.len() as u64).read_to_end(&mut head))
            .is_ok()
        && head == wanted
}

impl Input {
    /// Opens `path`, or standard input where it is `-`.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let (name, reader, _) = raw(path)?;
        Ok(Self {
            name,
            reader: Box::new(BufReader::with_capacity(BUFFER, reader)),
        })
    }

    /// Opens `path` or standard input, and unpacks what begins like gzip or zstd.
    ///
    /// Packed data that end too early end the input there, and the meter says so.
    pub(super) fn open_unpacked(path: &Path) -> Result<(Self, Meter), Error> {
        let (name, reader, size) = raw(path)?;
        let meter = Meter {
            size,
            read: Arc::default(),
            cut_off: Arc::default(),
        };
        let counted = Counted {
            inner: reader,
            read: Arc::clone(&meter.read),
        };
        let mut reader = BufReader::with_capacity(BUFFER, counted);
        let failed = |err: io::Error| Error::new(format!("{name}: {err}"));
        // A pipe may give its first bytes one by one.
        let mut head = Vec::new();
        (&mut reader)
            .take(4)
            .read_to_end(&mut head)
            .map_err(failed)?;
        let packing = Packing::of(&head);
        let whole = Cursor::new(head).chain(reader);
        let unpacked: Box<dyn Read + Send> = match packing {
            None => {
                let reader = Box::new(whole);
                return Ok((Self { name, reader }, meter));
            }
            Some(Packing::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Some(Packing::Zstd) => {
                Box::new(zstd::stream::read::Decoder::with_buffer(whole).map_err(failed)?)
            }
        };
        let ending = Ending {
            inner: unpacked,
            cut_off: Arc::clone(&meter.cut_off),
        };
        let reader = Box::new(BufReader::with_capacity(BUFFER, ending));
        Ok((Self { name, reader }, meter))
    }

    pub(super) fn error(&self, err: impl fmt::Display) -> Error {
        Error::new(format!("{}: {err}", self.name))
    }

    pub(super) fn error_at(&self, line: u64, err: impl fmt::Display) -> Error {
        Error::new(format!("{}:{line}: {err}", self.name))
    }
}

/// Name, bytes and, for a file, size.
type Raw = (String, Box<dyn Read + Send>, Option<u64>);

fn raw(path: &Path) -> Result<Raw, Error> {
    let name = shown(path);
    if path == Path::new("-") {
        return Ok((name, Box::new(io::stdin()), None));
    }
    let refused = |err: io::Error| Error::new(format!("{name}: {err}"));
    let file = File::open(path).map_err(refused)?;
    let about = file.metadata().map_err(refused)?;
    if about.is_dir() {
        return Err(Error::new(format!(
            "{name}: expected a file, found a directory"
        )));
    }
    let size = about.is_file().then_some(about.len());
    Ok((name, Box::new(file), size))
}

/// How a file is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing of a file with these first bytes.
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            // The third byte is the method; no other than deflate was ever defined.
            [0x1f, 0x8b, 0x08, ..] => Some(Self::Gzip),
            // A frame, or one that is skipped and stands in front of others.
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Counts the bytes that pass.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Ends where packed data are cut off, and remembers that.
struct Ending<R> {
    inner: R,
    cut_off: Arc<AtomicBool>,
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.cut_off.load(Ordering::Relaxed) {
            return Ok(0);
        }
        match self.inner.read(out) {
            Err(err) if err.kind() == io::ErrorKind::UnexpectedEof => {
                self.cut_off.store(true, Ordering::Relaxed);
                Ok(0)
            }
            other => other,
        }
    }
}
