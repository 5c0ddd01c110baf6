//! Every strategy that this workspace builds, in a stable order.
