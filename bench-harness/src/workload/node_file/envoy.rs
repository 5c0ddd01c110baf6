//! Envoy: the endpoints of a cluster as JSON, as the file of an endpoint discovery service has them.
//!
//! Names in the file may be written as in the API (`lb_endpoints`) or as its JSON has them
//! (`lbEndpoints`). A host is named by what Envoy's ring and Maglev tables hash: the `hash_key` of its
//! metadata, else its address. (A cluster that hashes host names says so elsewhere.)

use std::{fmt, num::NonZeroU32};

use router::NodeSpec;
use serde::{
    Deserialize, Deserializer,
    de::{self, Unexpected, Visitor},
};
use serde_json::{Map, Value};

use super::{Fault, Listed, choose};

/// A whole answer of an endpoint discovery service.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Discovered {
    #[serde(default, alias = "versionInfo", rename = "version_info")]
    _version_info: Option<Value>,
    #[serde(default, alias = "typeUrl", rename = "type_url")]
    _type_url: Option<Value>,
    #[serde(default, rename = "nonce")]
    _nonce: Option<Value>,
    resources: Vec<Assignment>,
}

/// The endpoints of one cluster.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Assignment {
    #[serde(default, rename = "@type")]
    _type: Option<Value>,
    #[serde(default, alias = "clusterName")]
    cluster_name: String,
    endpoints: Vec<Locality>,
    #[serde(default, rename = "policy")]
    _policy: Option<Value>,
}

/// The hosts of one place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Locality {
    #[serde(default, rename = "locality")]
    _locality: Option<Value>,
    #[serde(default, rename = "metadata")]
    _metadata: Option<Value>,
    #[serde(alias = "lbEndpoints")]
    lb_endpoints: Vec<Host>,
    #[serde(default, alias = "loadBalancingWeight")]
    load_balancing_weight: Option<NonZeroU32>,
    #[serde(default, rename = "priority")]
    _priority: Option<First>,
}

/// Priority 0: hosts of another one get keys only while those of this one fail.
///
/// Checked while it is read, as are weight and health, so that a complaint names the line.
struct First;

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Zero;
        impl Visitor<'_> for Zero {
            type Value = First;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("priority 0: hosts of others get no keys while these serve")
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<First, E> {
                match value {
                    0 => Ok(First),
                    other => Err(E::invalid_value(Unexpected::Unsigned(other), &self)),
                }
            }
        }
        from.deserialize_u64(Zero)
    }
}

/// One host.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Host {
    endpoint: Endpoint,
    #[serde(default, alias = "healthStatus")]
    health_status: Health,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default, alias = "loadBalancingWeight")]
    load_balancing_weight: Option<NonZeroU32>,
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(rename_all = "UPPERCASE")]
enum Health {
    #[default]
    Unknown,
    Healthy,
    Unhealthy,
    Draining,
    Timeout,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Endpoint {
    address: Address,
    #[serde(default, alias = "healthCheckConfig", rename = "health_check_config")]
    _health_check_config: Option<Value>,
    #[serde(default, rename = "hostname")]
    _hostname: Option<Value>,
}

#[derive(Deserialize)]
enum Address {
    #[serde(rename = "socket_address", alias = "socketAddress")]
    Socket {
        address: String,
        #[serde(alias = "portValue")]
        port_value: u16,
        #[serde(default, rename = "protocol")]
        _protocol: Option<Value>,
    },
    #[serde(rename = "pipe")]
    Pipe { path: String },
}

/// What of the metadata matters here; the rest is other filters' own.
#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default, alias = "filterMetadata")]
    filter_metadata: Filters,
}

#[derive(Deserialize, Default)]
struct Filters {
    #[serde(default, rename = "envoy.lb")]
    balancer: Balancer,
}

#[derive(Deserialize, Default)]
struct Balancer {
    #[serde(default)]
    hash_key: String,
}

impl Host {
    fn node(self) -> NodeSpec {
        let hash_key = self.metadata.filter_metadata.balancer.hash_key;
        let name = match self.endpoint.address {
            _ if !hash_key.is_empty() => hash_key,
            Address::Pipe { path } => path,
            Address::Socket {
                address,
                port_value,
                ..
            } if address.contains(':') => format!("[{address}]:{port_value}"),
            Address::Socket {
                address,
                port_value,
                ..
            } => format!("{address}:{port_value}"),
        };
        let weight = match self.health_status {
            Health::Unknown | Health::Healthy => {
                self.load_balancing_weight.map_or(1, NonZeroU32::get)
            }
            Health::Unhealthy | Health::Draining | Health::Timeout => 0,
        };
        NodeSpec::new(name, weight)
    }
}

pub(super) fn list(text: &str, wanted: Option<&str>) -> Result<Vec<Listed>, Fault> {
    let fault = |err: serde_json::Error| {
        let said = err.to_string();
        // The line stands in front, as in all messages.
        let place = format!(" at line {} column {}", err.line(), err.column());
        let what = said.strip_suffix(&place).unwrap_or(&said);
        Fault::at(err.line() as u64, what)
    };
    let value: Map<String, Value> = serde_json::from_str(text).map_err(fault)?;
    let clusters = match value.contains_key("resources") {
        true => serde_json::from_str::<Discovered>(text).map(|it| it.resources),
        false => serde_json::from_str::<Assignment>(text).map(|it| vec![it]),
    };
    let clusters = clusters.map_err(fault)?.into_iter();
    let clusters = clusters.map(|it| (it.cluster_name, it.endpoints)).collect();
    let localities = choose(clusters, wanted, ("envoy", "cluster"))?;
    if localities.len() > 1
        && localities
            .iter()
            .any(|it| it.load_balancing_weight.is_some())
    {
        return Err(Fault::anywhere(
            "load_balancing_weight of a locality among several is not understood: it scales the weights of its hosts",
        ));
    }
    let hosts = localities.into_iter().flat_map(|it| it.lb_endpoints);
    // JSON tells no lines once it is read.
    let listed = hosts.map(|host| Listed {
        line: None,
        node: host.node(),
    });
    Ok(listed.collect())
}
