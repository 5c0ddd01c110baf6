//! Hash modulo the number of nodes: the control.
