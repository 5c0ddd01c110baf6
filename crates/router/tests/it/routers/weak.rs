//! A modulo router with a hash that does not mix: Java's `String.hashCode` over bytes, 32 bits.

use router::{HashFn, Members, NodeId, Position, Router, Step, Strategy, Trace};

use super::{MODULO, Modulo};

static JAVA: HashFn = HashFn {
    name: "java",
    mixes: false,
    eval: |key| java(key).into(),
};

fn java(key: &[u8]) -> u32 {
    let step = |state: u32, byte: &u8| state.wrapping_mul(31).wrapping_add(u32::from(*byte));
    key.iter().fold(0, step)
}

pub(crate) static WEAK: Strategy = Strategy {
    name: "weak",
    hash: &JAVA,
    summary: "The sum of bytes times powers of 31, modulo the nodes in joining order",
    capabilities: |params, catalog| router::Capabilities {
        even: false,
        ..(MODULO.capabilities)(params, catalog)
    },
    build: |_, _, _| Ok(Box::new(Weak::new(0, true))),
    ..MODULO
};

/// It hashes all but the last byte of a key.
pub(crate) static LAST_BYTE_IGNORED: Strategy = Strategy {
    build: |_, _, _| Ok(Box::new(Weak::new(1, true))),
    ..WEAK
};

/// It does not tell what a key's hash is.
pub(crate) static SILENT: Strategy = Strategy {
    build: |_, _, _| Ok(Box::new(Weak::new(0, false))),
    ..WEAK
};

#[derive(Clone)]
struct Weak {
    inner: Modulo,
    ignored: usize,
    tells: bool,
}

impl Weak {
    fn new(ignored: usize, tells: bool) -> Self {
        Self {
            inner: Modulo::default(),
            ignored,
            tells,
        }
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        java(&key[..key.len().saturating_sub(self.ignored)]).into()
    }
}

impl Router for Weak {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.inner.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.inner.owner(self.key_hash(key))
    }

    fn trace(&self, key: &[u8]) -> Option<Trace> {
        self.tells.then(|| Trace {
            hash_evals: 1,
            key_hash: Some(Position::Unsigned(self.key_hash(key).into())),
            ..Trace::default()
        })
    }
}
