// An alignment of two sequences.

const MATCH = 4, MISMATCH = -2, OPEN = -6, EXTEND = -1, MOST_CELLS = 3e7;

// Pairs of indices in two lists of residue names that are aligned, by the best score with gaps that cost less to extend, and nothing at the
// ends (Gotoh 1982).
function aligned(a, b) {
  const [n, m] = [a.length, b.length], wide = m + 1;
  if (n * m > MOST_CELLS) throw new Error(`chains of ${n} and ${m} residues are too long to be aligned here`);
  const steps = new Uint8Array((n + 1) * wide);
  let best = new Float32Array(wide), down = new Float32Array(wide).fill(-1e9);
  for (let i = 1; i <= n; i++) {
    const next = new Float32Array(wide), [open, extend] = i === n ? [0, 0] : [OPEN, EXTEND];
    let across = -1e9;
    for (let j = 1; j <= m; j++) {
      const [openDown, extendDown] = j === m ? [0, 0] : [OPEN, EXTEND];
      const fromAcross = next[j - 1] + open >= across + extend, fromDown = best[j] + openDown >= down[j] + extendDown;
      across = Math.max(next[j - 1] + open, across + extend);
      down[j] = Math.max(best[j] + openDown, down[j] + extendDown);
      const both = best[j - 1] + (a[i - 1] === b[j - 1] ? MATCH : MISMATCH);
      next[j] = Math.max(both, across, down[j]);
      // Bits 0 and 1: the step; 2 and 3: whether a gap begins here.
      steps[i * wide + j] = (next[j] === both ? 0 : next[j] === across ? 1 : 2) | (fromAcross ? 4 : 0) | (fromDown ? 8 : 0);
    }
    best = next;
  }
  const pairs = [];
  let [i, j, gap] = [n, m, 0];
  while (i > 0 && j > 0) {
    const step = steps[i * wide + j], way = gap || (step & 3);
    if (way === 0) { pairs.push([--i, --j]); continue; }
    gap = step & (way === 1 ? 4 : 8) ? 0 : way;
    if (way === 1) j--; else i--;
  }
  return pairs.reverse();
}
