//! Keys in the logical databases of a Redis: which one, a strategy says.

use std::{
    path::Path,
    time::{Instant, SystemTime},
};

use anyhow::{Context as _, Result, ensure};
use redis::Connection;
use router::{Cluster, KeyBuf, NodeId};
use serde::Deserialize;

use super::{Program, Server};
use crate::{
    experiment::{Claims, Findings, Numbered, Setup, counts},
    record::SeriesRow,
};

const REDIS: Program = Program {
    name: "redis-server",
    package: "redis-server",
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Homework {
    /// Node i is database i.
    nodes: Numbered,
    keys: Numbered,
    value: String,
    spec: String,
    /// Keys that are sent at once.
    pipeline: usize,
}

/// Runs it.
pub(in crate::experiment) fn run(setup: &Setup<'_>) -> Result<Findings> {
    let homework: Homework = setup.definition.setup();
    let mut claims = Claims::new(setup.definition);
    if let Some(why) = REDIS.absent() {
        for claim in &setup.definition.claims {
            claims.not_checkable(&claim.id, "", &why);
        }
        return Ok(claims.finish(Vec::new(), Vec::new()));
    }
    let own = vec![homework.spec.clone()];
    let chosen = &setup.options.strategies;
    let specs = if chosen.is_empty() { &own } else { chosen };
    let keys = homework.keys.keys();
    let batches = keys.len().div_ceil(homework.pipeline);
    setup.progress.phase("redis", specs.len() * batches);
    let args = |port: u16, folder: &Path| {
        let databases = homework.nodes.count.max(16);
        let options = format!(
            "--bind 127.0.0.1 --port {port} --databases {databases} --save  --appendonly no --daemonize no"
        );
        let mut options: Vec<String> = options.split(' ').map(str::to_owned).collect();
        options.extend(["--dir".to_owned(), folder.display().to_string()]);
        options
    };
    let (_server, mut redis) = Server::start(REDIS, args, connect)?;
    let (mut rows, mut printed) = (Vec::new(), Vec::new());
    let (mut equal, mut own_sizes) = (0, None);
    let mut times = Vec::new();
    for spec in specs {
        let spec = setup.spec(spec)?.to_string();
        let cluster = setup.cluster(&spec, &homework.nodes.list())?;
        let owners = setup.owners(&cluster, keys.keys())?;
        let expected = counts(&cluster, &owners);
        let (start, since) = (SystemTime::now(), Instant::now());
        write(setup, &mut redis, &homework, &keys, (&cluster, &owners))?;
        let cost = since.elapsed().as_millis();
        let start = start.duration_since(SystemTime::UNIX_EPOCH);
        let start = start.map_or(0, |it| it.as_millis());
        let sizes = sizes(&mut redis, expected.len()).context("redis-server: read the sizes")?;
        printed.extend([
            format!("{spec}: DBSIZE {}", joined(&sizes)),
            format!("start at : {start}"),
            format!("cost : {cost}"),
        ]);
        times.push((start, cost));
        equal += usize::from(sizes == expected);
        if spec == homework.spec {
            own_sizes = Some(joined(&sizes));
        }
        for (database, &size) in sizes.iter().enumerate() {
            let point = SeriesRow::point(&spec, database as f64, size as f64, "keys");
            rows.push(point.named(&format!("database {database}")));
        }
    }
    match own_sizes {
        Some(sizes) => claims.text("sizes", &sizes),
        None => claims.not_checkable("sizes", "", "the exercise's own strategy was not run"),
    }
    let measured = format!("equal for {equal} of {} strategies", specs.len());
    claims.holds("equal", measured, equal == specs.len());
    let list = |value: fn(&(u128, u128)) -> u128| {
        let all: Vec<String> = times.iter().map(|it| value(it).to_string()).collect();
        all.join(", ")
    };
    claims.not_checkable("start", list(|it| it.0), "nothing to hold it against");
    claims.not_checkable("cost", list(|it| it.1), "another machine");
    Ok(claims.finish(vec![("sizes", rows)], printed))
}

/// Connects, and makes sure that it is our server that answers.
fn connect(server: &Server) -> Result<Connection> {
    let ask = || {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}/", server.port))?;
        let mut redis = client.get_connection()?;
        let info: String = redis::cmd("INFO").arg("server").query(&mut redis)?;
        Ok::<_, redis::RedisError>((redis, info))
    };
    let (redis, info) = ask().context("redis-server: connect")?;
    let pid = info
        .lines()
        .find_map(|line| line.strip_prefix("process_id:"));
    server.check_pid(pid.and_then(|it| it.trim().parse().ok()))?;
    Ok(redis)
}

/// Writes all keys, from the last to the first as the exercise does, each to its owner's database.
fn write(
    setup: &Setup<'_>,
    redis: &mut Connection,
    homework: &Homework,
    keys: &KeyBuf,
    (cluster, owners): (&Cluster, &[NodeId]),
) -> Result<()> {
    redis::cmd("FLUSHALL")
        .exec(redis)
        .context("redis-server: empty it")?;
    let places: Vec<usize> = (0..keys.len()).rev().collect();
    for batch in places.chunks(homework.pipeline) {
        setup.check()?;
        let mut pipeline = redis::pipe();
        let mut selected = None;
        for &i in batch {
            let database = cluster.nodes().position(owners[i]);
            if selected != database {
                selected = database;
                let database = database.expect("owners are present");
                pipeline.cmd("SELECT").arg(database).ignore();
            }
            pipeline
                .cmd("SET")
                .arg(keys.keys().get(i))
                .arg(&homework.value)
                .ignore();
        }
        let written = pipeline.exec(redis);
        written.context("redis-server ended or failed while keys were written")?;
        setup.progress.step();
    }
    Ok(())
}

/// The number of keys in each database.
fn sizes(redis: &mut Connection, n: usize) -> Result<Vec<u64>> {
    let mut sizes = Vec::new();
    for database in 0..n {
        redis::cmd("SELECT").arg(database).exec(redis)?;
        sizes.push(redis::cmd("DBSIZE").query(redis)?);
    }
    ensure!(sizes.len() == n, "a database did not answer");
    Ok(sizes)
}

fn joined(sizes: &[u64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    sizes.join(" ")
}
