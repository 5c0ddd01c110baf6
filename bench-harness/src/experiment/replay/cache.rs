//! The cache of one node: least recently used goes first, bytes accounted.

use lru::LruCache;

/// A cache of so many bytes. It holds what was asked last; what is larger than all of it, never.
#[derive(Debug)]
pub(super) struct Cache {
    /// Bytes of what is held, by the key's hash.
    held: LruCache<u64, u64>,
    used: u64,
    room: u64,
}

impl Cache {
    /// An empty cache.
    pub(super) fn new(room: u64) -> Self {
        Self {
            held: LruCache::unbounded(),
            used: 0,
            room,
        }
    }

    /// Whether the key is held. It is afterwards, with so many bytes, as far as there is room.
    pub(super) fn ask(&mut self, key: u64, bytes: u64) -> bool {
        let before = self.held.get(&key).copied();
        if before == Some(bytes) {
            return true;
        }
        if bytes > self.room {
            self.used -= self.held.pop(&key).unwrap_or(0);
            return before.is_some();
        }
        self.used += bytes;
        self.used -= self.held.put(key, bytes).unwrap_or(0);
        while self.used > self.room {
            let Some((_, freed)) = self.held.pop_lru() else {
                break;
            };
            self.used -= freed;
        }
        before.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks in order and tells which were held.
    fn held(room: u64, asked: &[(u64, u64)]) -> Vec<bool> {
        let mut cache = Cache::new(room);
        asked
            .iter()
            .map(|&(key, bytes)| {
                let hit = cache.ask(key, bytes);
                let all: u64 = cache.held.iter().map(|it| *it.1).sum();
                assert!(all == cache.used && all <= room, "{asked:?}");
                hit
            })
            .collect()
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        // 1 is asked again, so 2 has to go for 3.
        let asked = [(1, 4), (2, 4), (1, 4), (3, 4), (1, 4), (2, 4)];
        assert_eq!(held(10, &asked), [false, false, true, false, true, false]);
    }

    #[test]
    fn bytes_are_accounted() {
        // One large thing takes the place of two small ones.
        let asked = [(1, 3), (2, 3), (3, 9), (1, 3), (2, 3)];
        assert_eq!(held(10, &asked), [false; 5]);
        // What grows pushes others out, and is what is held.
        let asked = [(1, 3), (2, 3), (1, 9), (2, 3), (1, 3)];
        assert_eq!(held(10, &asked), [false, false, true, false, false]);
        // What is larger than the cache is never held, and pushes nothing out.
        let asked = [(1, 3), (2, 11), (2, 11), (1, 3), (1, 11), (1, 3)];
        assert_eq!(held(10, &asked), [false, false, false, true, true, false]);
        // What has no bytes fits everywhere.
        assert_eq!(held(0, &[(1, 0), (1, 0), (2, 1)]), [false, true, false]);
    }
}
