/// Working memory of one thread: `count` floats, not initialised, freed with the object.
package final class Floats {
    package let base: UnsafeMutablePointer<Float>
    package init(_ count: Int) { base = .allocate(capacity: max(count, 1)) }
    deinit { base.deallocate() }
}
