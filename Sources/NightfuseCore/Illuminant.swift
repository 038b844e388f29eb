extension RawFrame.Calibration {
    /// Correlated colour temperature of the calibration's light, in kelvin; nil where its EXIF code says none.
    ///
    /// Values of EXIF 2.32 (LightSource) and CIE; fluorescent ranges by their middle.
    public var kelvin: Double? {
        switch illuminant {
        case 1, 4, 9, 20: 5500
        case 2, 14: 4150
        case 3, 17: 2856
        case 10, 21: 6504
        case 11, 22: 7504
        case 12: 6400
        case 13: 5050
        case 15: 3525
        case 16: 2925
        case 18: 4874
        case 19: 6774
        case 23: 5003
        case 24: 3200
        default: nil
        }
    }
}
