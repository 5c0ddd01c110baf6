//! What was counted, window by window.

/// The most windows: with one more, two and two are joined.
const MOST: usize = 1200;

/// Counts in windows of equal width, from the first request on.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Timeline {
    /// When the first window begins, in seconds of the log's clock.
    start: f64,
    width: f64,
    /// The place of the window that is open.
    open: usize,
    /// When it ends.
    until: f64,
    requests: Vec<u64>,
    misses: Vec<u64>,
    /// Requests a second of the busiest node.
    hottest: Vec<f64>,
    /// Requests of each node in the window that is open, by id.
    nodes: Vec<u64>,
    /// The same of the window that was closed last, a second.
    before: Vec<f64>,
}

impl Timeline {
    /// Nothing counted yet; the first request comes at `start`.
    pub(super) fn new(start: f64, width: f64) -> Self {
        Self {
            start,
            width,
            open: 0,
            until: start + width,
            requests: vec![0],
            misses: vec![0],
            hottest: vec![0.0],
            nodes: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Goes on to this time, which is not before the last one.
    #[inline]
    pub(super) fn go_to(&mut self, time: f64) {
        if time >= self.until {
            self.close(time);
        }
    }

    fn close(&mut self, time: f64) {
        let rates = self.nodes.iter().map(|&it| it as f64 / self.width);
        self.before.clear();
        self.before.extend(rates);
        self.nodes.fill(0);
        let busiest = self.before.iter().copied().fold(0.0, f64::max);
        self.hottest[self.open] = busiest;
        let place = |it: &Self| ((time - it.start) / it.width) as usize;
        while place(self) >= MOST {
            self.join();
        }
        // Where a window ends and the next begins may differ by a rounding.
        self.open = place(self).max(self.open + 1);
        self.until = self.start + (self.open + 1) as f64 * self.width;
        self.requests.resize(self.open + 1, 0);
        self.misses.resize(self.open + 1, 0);
        self.hottest.resize(self.open + 1, 0.0);
    }

    /// Makes one window of two. Of two busiest nodes the busier stays.
    fn join(&mut self) {
        let sums = |counts: &[u64]| counts.chunks(2).map(|it| it.iter().sum()).collect();
        self.requests = sums(&self.requests);
        self.misses = sums(&self.misses);
        let busier = |it: &[f64]| it.iter().copied().fold(0.0, f64::max);
        self.hottest = self.hottest.chunks(2).map(busier).collect();
        self.open /= 2;
        self.width *= 2.0;
    }

    /// Counts a request that was answered by `node`, by its index, or by none.
    #[inline]
    pub(super) fn count(&mut self, node: Option<usize>, hit: bool) {
        self.requests[self.open] += 1;
        self.misses[self.open] += u64::from(!hit);
        if let Some(node) = node {
            if node >= self.nodes.len() {
                self.nodes.resize(node + 1, 0);
            }
            self.nodes[node] += 1;
        }
    }

    /// Requests a second of a node in the window that was closed last.
    pub(super) fn rate_before(&self, node: usize) -> f64 {
        self.before.get(node).copied().unwrap_or(0.0)
    }

    /// Width of a window, in seconds.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// The rates of all windows but the last, within which the log may end: requests, misses and the
    /// busiest node's, all a second.
    pub(super) fn rates(&self) -> [Vec<f64>; 3] {
        let a_second = |counts: &[u64]| {
            let closed = counts[..self.open].iter();
            closed.map(|&it| it as f64 / self.width).collect()
        };
        let hottest = self.hottest[..self.open].to_vec();
        [a_second(&self.requests), a_second(&self.misses), hottest]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_in_their_windows() {
        let mut line = Timeline::new(100.0, 2.0);
        let asked = [
            (100.0, 0, false),
            (101.9, 0, true),
            (102.0, 1, true),
            (107.0, 2, false),
        ];
        for (time, node, hit) in asked {
            line.go_to(time);
            line.count(Some(node), hit);
        }
        assert_eq!(line.rate_before(1), 0.5);
        line.go_to(108.5);
        let [requests, misses, hottest] = line.rates();
        assert_eq!(requests, [1.0, 0.5, 0.0, 0.5]);
        assert_eq!(misses, [0.5, 0.0, 0.0, 0.5]);
        assert_eq!(hottest, [1.0, 0.5, 0.0, 0.5]);
    }

    #[test]
    fn windows_are_joined_where_they_are_too_many() {
        let mut line = Timeline::new(0.0, 1.0);
        for second in 0..5 * MOST {
            line.go_to(second as f64);
            // Node 0 in even seconds, node 1 in odd ones, and a miss in every fourth.
            line.count(Some(second % 2), second % 4 != 0);
        }
        assert_eq!(line.width(), 8.0);
        let [requests, misses, hottest] = line.rates();
        assert_eq!(requests.len(), 5 * MOST / 8 - 1);
        assert!(requests.iter().all(|&it| it == 1.0));
        assert!(misses.iter().all(|&it| it == 0.25));
        // While windows were one second wide, one node had all of it; later half.
        assert_eq!((hottest[0], *hottest.last().unwrap()), (1.0, 0.5));
        // A gap of years takes no memory.
        line.go_to(1e9);
        assert!(line.rates()[0].len() < MOST);
    }
}
