//! A hash tree over a day's attempts, as RFC 6962 (2.1) builds it: a leaf is hashed behind a 0, two
//! branches behind a 1, and the left branch is the largest complete one. That an attempt is among
//! millions is shown by some twenty digests, which reveal nothing of the others.

use sha2::{Digest as _, Sha256};

use super::Digest;

/// On which side of a branch another is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before it.
    Left,
    /// Behind it.
    Right,
}

impl Side {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// A step from a leaf to the root: the branch that is joined, and on which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// On which side.
    pub side: Side,
    /// Its digest.
    pub digest: Digest,
}

/// A tree that grows leaf by leaf and keeps only what is still to be joined: as many branches as the
/// number of its leaves has ones.
#[derive(Debug, Default)]
pub struct Tree {
    branches: Vec<Branch>,
    leaves: i64,
    followed: Vec<Digest>,
    paths: Vec<Vec<Step>>,
}

/// A complete part of the tree.
#[derive(Debug)]
struct Branch {
    leaves: i64,
    digest: Digest,
    /// Which of the followed leaves are in it.
    holds: Vec<usize>,
}

impl Tree {
    /// An empty one that finds the ways of these leaves to its root.
    #[must_use]
    pub fn following(followed: Vec<Digest>) -> Self {
        let paths = vec![Vec::new(); followed.len()];
        Self { followed, paths, ..Self::default() }
    }

    /// How many leaves it has.
    #[must_use]
    pub fn leaves(&self) -> i64 {
        self.leaves
    }

    /// Adds a leaf behind all others.
    pub fn push(&mut self, leaf: Digest) {
        let followed = self.followed.iter().enumerate();
        let holds = followed.filter(|(_, one)| **one == leaf).map(|(at, _)| at).collect();
        self.add(Branch { leaves: 1, digest: hash(&[&[0], &leaf.to_bytes()]), holds });
    }

    /// Adds a whole part behind all others by the root over it, as if each of its leaves had come. It has
    /// `leaves` of them, a power of two, and so many or a multiple of it were there already; none of
    /// them is followed.
    pub fn push_part(&mut self, leaves: i64, root: Digest) {
        debug_assert!(leaves.count_ones() == 1 && self.leaves % leaves == 0, "no part of a tree");
        self.add(Branch { leaves, digest: root, holds: Vec::new() });
    }

    fn add(&mut self, branch: Branch) {
        self.leaves += branch.leaves;
        self.branches.push(branch);
        while let [.., left, right] = self.branches.as_slice() {
            if left.leaves != right.leaves {
                break;
            }
            self.join();
        }
    }

    /// The root, and the way of each followed leaf to it; `None` where there is no leaf. The way of
    /// one that never came is empty, as that of an only leaf is.
    #[must_use]
    pub fn end(mut self) -> Option<(Digest, Vec<Vec<Step>>)> {
        while self.branches.len() > 1 {
            self.join();
        }
        let root = self.branches.pop()?;
        Some((root.digest, self.paths))
    }

    /// Joins the last two branches.
    fn join(&mut self) {
        let (Some(right), Some(left)) = (self.branches.pop(), self.branches.pop()) else { return };
        let digest = hash(&[&[1], &left.digest.to_bytes(), &right.digest.to_bytes()]);
        self.follow(&left.holds, Side::Right, right.digest);
        self.follow(&right.holds, Side::Left, left.digest);
        let holds = [left.holds, right.holds].concat();
        self.branches.push(Branch { leaves: left.leaves + right.leaves, digest, holds });
    }

    /// Notes for these leaves that they were joined with that on this side.
    fn follow(&mut self, leaves: &[usize], side: Side, digest: Digest) {
        for &leaf in leaves {
            if let Some(path) = self.paths.get_mut(leaf) {
                path.push(Step { side, digest });
            }
        }
    }
}

fn hash(parts: &[&[u8]]) -> Digest {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    Digest::from_bytes(hash.finalize().into())
}
