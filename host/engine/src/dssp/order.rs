//! The order that C++'s standard library of GNU gives to items, of which some are equal: the order of ladders in mkdssp's files depends on
//! it.

/// Below this length items are inserted one by one.
const SHORT: usize = 16;

/// Sorts as `std::sort` of libstdc++ does. Where its pivots fail, it sorts a heap; here, equal items of such stretches keep their order.
pub(super) fn sort<T: Copy>(items: &mut [T], less: &dyn Fn(T, T) -> bool) {
    if items.len() < 2 {
        return;
    }
    divide(items, 2 * items.len().ilog2(), less);
    let (head, _) = items.split_at_mut(items.len().min(SHORT));
    insert(head, less);
    for end in SHORT..items.len() {
        sink(items, end, less);
    }
}

fn divide<T: Copy>(mut items: &mut [T], mut depth: u32, less: &dyn Fn(T, T) -> bool) {
    while items.len() > SHORT {
        if depth == 0 {
            items.sort_by(|a, b| less(*b, *a).cmp(&less(*a, *b)));
            return;
        }
        depth -= 1;
        let (middle, last) = (items.len() / 2, items.len() - 1);
        let pivot = median(items, [1, middle, last], less);
        items.swap(0, pivot);
        let cut = partition(items, less);
        let (front, back) = items.split_at_mut(cut);
        divide(back, depth, less);
        items = front;
    }
}

/// The place of the median of three items.
fn median<T: Copy>(items: &[T], [a, b, c]: [usize; 3], less: &dyn Fn(T, T) -> bool) -> usize {
    let before = |x: usize, y: usize| less(items[x], items[y]);
    match (before(a, b), before(b, c), before(a, c)) {
        (true, true, _) => b,
        (true, false, true) => c,
        (true, false, false) => a,
        (false, _, true) => a,
        (false, true, false) => c,
        (false, false, false) => b,
    }
}

/// Divides the items after the first by it. Returns where the second part begins.
fn partition<T: Copy>(items: &mut [T], less: &dyn Fn(T, T) -> bool) -> usize {
    let pivot = items[0];
    let (mut first, mut last) = (1, items.len());
    loop {
        while less(items[first], pivot) {
            first += 1;
        }
        last -= 1;
        while less(pivot, items[last]) {
            last -= 1;
        }
        if first >= last {
            return first;
        }
        items.swap(first, last);
        first += 1;
    }
}

fn insert<T: Copy>(items: &mut [T], less: &dyn Fn(T, T) -> bool) {
    for end in 1..items.len() {
        if less(items[end], items[0]) {
            items[..=end].rotate_right(1);
        } else {
            sink(items, end, less);
        }
    }
}

/// Moves an item before those that it is less than.
fn sink<T: Copy>(items: &mut [T], mut at: usize, less: &dyn Fn(T, T) -> bool) {
    while at > 0 && less(items[at], items[at - 1]) {
        items.swap(at, at - 1);
        at -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_have_the_order_of_libstdcxx() {
        // Sorted by their tens with g++ 12.2: `std::sort(v.begin(), v.end(), [](int a, int b) { return a / 10 < b / 10; })`.
        let mut items: Vec<u32> = (0..40).map(|i| i * 17 % 40).collect();
        sort(&mut items, &|a, b| a / 10 < b / 10);
        assert_eq!(items, SORTED);
    }

    const SORTED: [u32; 40] = [
        4, 8, 2, 3, 9, 7, 1, 0, 6, 5, 15, 17, 14, 11, 19, 13, 12, 10, 18, 16, 24, 23, 29, 25, 20, 26, 21, 27, 22, 28,
        31, 37, 36, 32, 30, 38, 33, 35, 39, 34,
    ];
}
