public import NightfuseCore

/// The value that would stand at `rank` if `values` were sorted; they are reordered. Hoare's quickselect, middle of three
/// as the pivot: linear time on what comes out of pictures.
///
/// No value may be NaN. Traps where `rank` is not an index.
@inlinable
public func select<Value: Comparable & BitwiseCopyable>(_ rank: Int, of values: inout [Value]) -> Value {
    precondition(values.indices.contains(rank))
    let last = values.count - 1
    return values.withMutableRow { v in
        func swap(_ a: Int, _ b: Int) { (v[a], v[b]) = (v[b], v[a]) }
        var (low, high) = (0, last)
        while low < high {
            let middle = low + (high - low) / 2
            if v[middle] < v[low] { swap(middle, low) }
            if v[high] < v[low] { swap(high, low) }
            if v[high] < v[middle] { swap(high, middle) }
            let pivot = v[middle]
            var (i, j) = (low, high)
            while i <= j {
                while v[i] < pivot { i += 1 }
                while pivot < v[j] { j -= 1 }
                if i <= j {
                    swap(i, j)
                    i += 1
                    j -= 1
                }
            }
            if rank <= j {
                high = j
            } else if rank >= i {
                low = i
            } else {
                return v[rank]
            }
        }
        return v[rank]
    }
}

/// The upper middle value; `values` are reordered and must not be empty.
@inlinable
public func median<Value: Comparable & BitwiseCopyable>(_ values: inout [Value]) -> Value {
    select(values.count / 2, of: &values)
}
