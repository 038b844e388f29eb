#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Light (above 0) in stops: 0 is full scale, -1 half of it.
func inStops(_ light: Float) -> Float { log2(light) }
func inStops(_ light: Double) -> Double { log2(light) }

/// The light, or the factor, of so many stops.
func fromStops(_ stops: Float) -> Float { exp2(stops) }
func fromStops(_ stops: Double) -> Double { exp2(stops) }
