//! Matrices of predicted aligned errors, in JSON and npz.

use prism_host::confidence::Matrix;

/// Reads a matrix. Written in another form, it is the same one: the forms take different ways through the reader.
pub fn confidences(data: &[u8]) {
    let Ok(Some(matrix)) = Matrix::of_file(data) else { return };
    let size = matrix.size();
    assert_eq!(matrix.values().len(), size * size);
    assert!(matrix.values().iter().all(|error| (0.0..=f32::MAX).contains(error)), "an error is no distance");
    // Formatting is slow.
    if size > 64 {
        return;
    }
    let of_rows = |between: &str, number: &dyn Fn(f32) -> String| {
        let row = |row: usize| matrix.row(row).iter().map(|error| number(*error)).collect::<Vec<_>>().join(between);
        let rows: Vec<String> = (0..size).map(|at| format!("[{}]", row(at))).collect();
        format!("{{\"pae\":[{}]}}", rows.join(between))
    };
    let exact = |error: f32| format!("{error:e}");
    let spaced = of_rows(" , ", &exact);
    assert_eq!(Matrix::of_file(spaced.as_bytes()), Ok(Some(matrix.clone())), "{spaced}");
    // One decimal, as AlphaFold writes, with and without what keeps vectors from it.
    let short = |error: f32| format!("{:.1}", error % 100.0);
    let [dense, spaced] = [",", ", "].map(|between| Matrix::of_file(of_rows(between, &short).as_bytes()));
    assert!(dense.is_ok() && dense == spaced);
}
