//! Movement: what a strategy moves beside the control, what one that knows load places, and the one loss
//! of very many keys.

use std::collections::BTreeSet;

use bench_harness::{
    measure::{self, Contender, Part, Profile, Progress, Request},
    record::{Row, Status},
    workload::KeySet,
};
use router::{Capabilities, Catalog, Keys, Members, NodeId, Router, Step, Strategy};

use super::{CLAIMS, HIGHEST, Highest, hash, profile, row};

/// The same, where only the last node may leave.
static LAST_ONLY: Strategy = Strategy {
    name: "last-only",
    capabilities: |_, _| Capabilities {
        any_removal: false,
        ..CLAIMS
    },
    ..HIGHEST
};

#[derive(Clone, Default)]
struct Remainder {
    nodes: Vec<NodeId>,
}

impl Router for Remainder {
    fn update(&mut self, members: &Members, _: &[Step]) {
        self.nodes = members.iter().map(|node| node.id).collect();
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.nodes[(hash(key) % self.nodes.len() as u64) as usize]
    }
}

static REMAINDER: Strategy = Strategy {
    name: "remainder",
    role: router::Role::Control,
    capabilities: |_, _| Capabilities {
        history_free: true,
        even: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<Remainder>::default()),
    expected: |_, _| None,
    ..HIGHEST
};

#[test]
fn what_moves_in_vain_is_seen_and_set_beside_the_control() {
    let catalog = Catalog::new([&REMAINDER, &HIGHEST]).unwrap();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            sizes: vec![8],
            movement_seeds: 4,
            ..Profile::quick()
        },
        parts: vec![Part::Movement],
        key_set: KeySet::Hex64,
        n_keys: None,
        nodes: None,
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).unwrap();
    let of = |strategy: &str, change: &str, metric: &str| {
        let found = measured
            .movement
            .iter()
            .find(|row| row.strategy == strategy && row.change == change && row.metric == metric);
        found.unwrap_or_else(|| panic!("no row {strategy} {change} {metric}"))
    };
    // Modulo n -> n + 1 moves n / (n + 1) of the keys: 8/9; 10,000 keys, 5 standard errors 0.016.
    let moved = of("remainder", "add", "moved").mean.unwrap();
    assert!((moved - 8.0 / 9.0).abs() < 0.016, "{moved}");
    let collateral = of("remainder", "add", "collateral").mean.unwrap();
    assert!((collateral - 7.0 / 9.0).abs() < 0.02, "{collateral}");
    let excess = of("remainder", "add", "excess").mean.unwrap();
    assert!((7.0..9.0).contains(&excess), "{excess}");
    assert_eq!(of("remainder", "rename", "collateral").mean, Some(0.0));
    let orders = of("remainder", "lose-10pct", "order_disagreement").mean;
    assert_eq!(
        orders,
        Some(0.0),
        "it forgets the order in which nodes left"
    );
    let row = of("highest", "add", "moved");
    let (lo, hi) = (row.vs_control_lo.unwrap(), row.vs_control_hi.unwrap());
    assert!(lo < row.vs_control.unwrap() && row.vs_control.unwrap() < hi && hi < -0.7);
    assert_eq!(of("remainder", "add", "moved").vs_control, None);
}

/// Deals keys without an owner out in turn, and leaves all others where they are.
#[derive(Clone, Default)]
struct Level {
    single: Highest,
}

impl Router for Level {
    fn update(&mut self, members: &Members, steps: &[Step]) {
        self.single.update(members, steps);
    }

    fn route(&self, key: &[u8]) -> NodeId {
        self.single.route(key)
    }

    fn assign(&self, _: Keys<'_>, owners: &mut [Option<NodeId>]) -> Option<()> {
        let nodes: Vec<NodeId> = self.single.nodes.iter().map(|&(_, id)| id).collect();
        let mut turns = nodes.iter().cycle().copied();
        for owner in owners {
            *owner = owner
                .filter(|id| nodes.contains(id))
                .or_else(|| turns.next());
        }
        Some(())
    }
}

static LEVEL: Strategy = Strategy {
    name: "level",
    capabilities: |_, _| Capabilities {
        minimal: true,
        knows_load: true,
        ..Capabilities::NONE
    },
    build: |_, _, _| Ok(Box::<Level>::default()),
    expected: |_, _| None,
    ..HIGHEST
};

/// A strategy that knows load is asked for whole key sets, and after a change with the owners before.
#[test]
fn who_knows_load_is_measured_by_what_it_places() {
    let catalog = Catalog::new([&LEVEL]).unwrap();
    let n_keys = 140_001; // three chunks of what others are asked at a time
    let nodes = (0..7).map(|i| format!("node{i}").into()).collect();
    let request = Request {
        contenders: Contender::all(&catalog, false),
        profile: Profile {
            seeds: 2,
            movement_seeds: 2,
            ..Profile::quick()
        },
        parts: vec![Part::Balance, Part::Movement],
        key_set: KeySet::Hex64,
        n_keys: Some(n_keys),
        nodes: Some(nodes),
        changes: Vec::new(),
        raw: false,
    };
    let measured = measure::run(&request, &Progress::new()).unwrap();
    for row in measured.balance.iter().chain(&measured.movement) {
        assert_ne!(row.status, Status::Failed, "not even too even: {row:?}");
    }
    let mean = |rows, change, metric| row(rows, change, metric).mean.unwrap();
    let fair = n_keys as f64 / 7.0;
    let peak = mean(&measured.balance, "none", "peak_to_avg");
    assert!(
        (peak - 20_001.0 / fair).abs() < 1e-12,
        "{peak}: within one key"
    );

    // Only the keys of who left move, a newcomer gets nothing, and they stay where they went.
    let moves = |change, metric| mean(&measured.movement, change, metric);
    for change in ["lose-first", "lose-random", "lose-50pct"] {
        assert_eq!(moves(change, "collateral"), 0.0, "{change}");
        assert_eq!(
            moves(change, "moved"),
            moves(change, "own_optimal"),
            "{change}"
        );
    }
    let lost = moves("lose-random", "moved");
    assert!((lost - 1.0 / 7.0).abs() < 1e-4, "{lost}");
    assert_eq!(moves("lose-random", "restored_mismatch"), lost);
    assert_eq!(moves("add", "moved"), 0.0);
    assert_eq!(moves("add", "restored_mismatch"), 0.0);
    // All in turn: each step moves a seventh and what earlier ones left to that node.
    assert_eq!(moves("rolling", "collateral"), 0.0);
    let n1 = moves("none", "n1_peak");
    assert!((n1 - 7.0 / 6.0).abs() < 1e-4, "{n1}");
}

/// Of very many keys one loss is measured: of a random node, or the last one where no other may leave.
/// Everything else says that it is not.
#[test]
fn of_very_many_keys_one_loss_is_measured() {
    let all = Profile {
        movement_min_keys: 2000,
        ..profile(1)
    };
    let one = Profile {
        one_loss_beyond: 1000,
        ..all.clone()
    };
    let catalog = Catalog::new([&HIGHEST, &LAST_ONLY]).unwrap();
    let [all, one] = [all, one].map(|profile| {
        let request = Request {
            contenders: Contender::all(&catalog, false),
            profile,
            parts: vec![Part::Movement],
            key_set: KeySet::Hex64,
            n_keys: None,
            nodes: None,
            changes: Vec::new(),
            raw: false,
        };
        measure::run(&request, &Progress::new()).unwrap().movement
    });
    for (strategy, loss) in [("highest", "lose-random"), ("last-only", "lose-last")] {
        let of = |rows: &[Row]| -> Vec<Row> {
            let rows = rows.iter().filter(|row| row.strategy == strategy);
            rows.cloned().collect()
        };
        let (all, one) = (of(&all), of(&one));
        let is = |status| move |row: &&Row| row.status == status && row.change != "rolling";
        let kept: Vec<&Row> = one.iter().filter(is(Status::Ok)).collect();
        assert!(
            !kept.is_empty() && kept.iter().all(|row| row.change == loss),
            "{kept:?}"
        );
        for row in kept {
            assert_eq!(row, self::row(&all, loss, &row.metric));
        }
        // Nothing of the rest is left out, and what cannot be done at all stays so.
        let changes = |rows: &[Row], unsupported| {
            let rows = rows.iter();
            let rows = rows.filter(|row| (row.status == Status::Unsupported) == unsupported);
            rows.map(|row| row.change.clone()).collect::<BTreeSet<_>>()
        };
        assert_eq!(changes(&one, false), changes(&all, false));
        assert_eq!(changes(&one, true), changes(&all, true));
        let over = self::row(&one, "add", "moved");
        assert_eq!(over.status, Status::OverBudget);
        assert!(over.note.contains("one loss is measured"), "{}", over.note);
    }
}
