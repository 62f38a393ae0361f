//! merge
/// e
pub enum MergeError { 
/// e
Seed }
