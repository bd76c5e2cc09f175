//! The contact graph in f64, and the conditions for its eigenvector.

use crate::residues::{Residue, distance};

/// The contacts of each residue.
pub struct Graph {
    pub neighbours: Vec<Vec<usize>>,
}

impl Graph {
    pub fn new(residues: &[Residue], threshold: f64) -> Self {
        let neighbours = (0..residues.len())
            .map(|i| {
                (0..residues.len())
                    .filter(|&j| i != j && distance(&residues[i], &residues[j]).is_some_and(|d| d < threshold))
                    .collect()
            })
            .collect();
        Self { neighbours }
    }

    pub fn contacts(&self) -> usize {
        self.neighbours.iter().map(Vec::len).sum::<usize>() / 2
    }

    fn times(&self, v: &[f64]) -> Vec<f64> {
        self.neighbours.iter().map(|near| near.iter().map(|&j| v[j]).sum()).collect()
    }

    /// A tight lower bound of the largest eigenvalue: Rayleigh quotients only increase in a power iteration of A + I, which
    /// converges for bipartite graphs, too.
    fn largest_eigenvalue(&self) -> f64 {
        let mut v: Vec<f64> = self.neighbours.iter().map(|near| near.len() as f64).collect();
        let mut eigenvalue = 0.0;
        for _ in 0..300 {
            let w = self.times(&v);
            let square: f64 = v.iter().map(|x| x * x).sum();
            eigenvalue = v.iter().zip(&w).map(|(x, y)| x * y).sum::<f64>() / square;
            let next: Vec<f64> = v.iter().zip(&w).map(|(x, y)| x + y).collect();
            let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            v = next.iter().map(|x| x / length).collect();
        }
        eigenvalue
    }

    /// The error in `centrality`, if any. Residues without an alpha carbon have NaN and are not part of the graph.
    pub fn fault(&self, centrality: &[f32], residues: &[Residue]) -> Option<String> {
        let mut v = Vec::new();
        for (i, (&x, residue)) in centrality.iter().zip(residues).enumerate() {
            match residue.ca {
                None if x.is_nan() => v.push(0.0),
                Some(_) if x >= 0.0 => v.push(f64::from(x)),
                _ => return Some(format!("row {i} has {x}")),
            }
        }
        if self.contacts() == 0 {
            return v.iter().position(|&x| x != 0.0).map(|i| format!("row {i} is not 0, but there is no contact"));
        }
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (norm - 1.0).abs() > 1e-5 {
            return Some(format!("its length is {norm}"));
        }
        let w = self.times(&v);
        let eigenvalue = v.iter().zip(&w).map(|(x, y)| x * y).sum::<f64>();
        let residual = v.iter().zip(&w).map(|(x, y)| (y - eigenvalue * x).powi(2)).sum::<f64>().sqrt();
        if residual > 1e-4 * eigenvalue {
            return Some(format!("residual {:e} of eigenvalue {eigenvalue}", residual / eigenvalue));
        }
        let largest = self.largest_eigenvalue();
        (eigenvalue < largest * (1.0 - 2e-4))
            .then(|| format!("eigenvalue {eigenvalue}, but there is one of at least {largest}"))
    }
}
