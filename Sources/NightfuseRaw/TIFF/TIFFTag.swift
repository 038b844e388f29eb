/// The tags of TIFF 6, TIFF/EP, EXIF and DNG 1.7 that the reader or the writer names.
enum TIFFTag: UInt16 {
    // TIFF 6
    case newSubFileType = 254
    case imageWidth = 256
    case imageLength = 257
    case bitsPerSample = 258
    case compression = 259
    case photometricInterpretation = 262
    case fillOrder = 266
    case make = 271
    case model = 272
    case stripOffsets = 273
    case orientation = 274
    case samplesPerPixel = 277
    case rowsPerStrip = 278
    case stripByteCounts = 279
    case planarConfiguration = 284
    case software = 305
    case dateTime = 306
    case predictor = 317
    case tileWidth = 322
    case tileLength = 323
    case tileOffsets = 324
    case tileByteCounts = 325
    case subIFDs = 330
    case sampleFormat = 339
    case yCbCrSubSampling = 530
    case yCbCrPositioning = 531
    case xmp = 700

    // TIFF/EP
    case cfaRepeatPatternDim = 33421
    case cfaPattern = 33422

    // EXIF
    case exposureTime = 33434
    case exifIFD = 34665
    case gpsIFD = 34853
    case iso = 34855
    case recommendedExposureIndex = 34866
    case isoSpeed = 34867
    case exifVersion = 36864
    case dateTimeOriginal = 36867
    case dateTimeDigitized = 36868
    case makerNote = 37500
    case subSecTime = 37520
    case subSecTimeOriginal = 37521
    case subSecTimeDigitized = 37522
    case interoperabilityIFD = 40965
    case lensModel = 42036
    case compositeImage = 42080
    case sourceImageNumber = 42081
    case sourceExposureTimes = 42082

    // DNG
    case dngVersion = 50706
    case dngBackwardVersion = 50707
    case uniqueCameraModel = 50708
    case cfaPlaneColor = 50710
    case cfaLayout = 50711
    case linearizationTable = 50712
    case blackLevelRepeatDim = 50713
    case blackLevel = 50714
    case blackLevelDeltaH = 50715
    case blackLevelDeltaV = 50716
    case whiteLevel = 50717
    case defaultCropOrigin = 50719
    case defaultCropSize = 50720
    case colorMatrix1 = 50721
    case colorMatrix2 = 50722
    case cameraCalibration1 = 50723
    case cameraCalibration2 = 50724
    case analogBalance = 50727
    case asShotNeutral = 50728
    case asShotWhiteXY = 50729
    case baselineExposure = 50730
    case makerNoteSafety = 50741
    case calibrationIlluminant1 = 50778
    case calibrationIlluminant2 = 50779
    case rawDataUniqueID = 50781
    case originalRawFileData = 50828
    case activeArea = 50829
    case maskedAreas = 50830
    case cameraCalibrationSignature = 50931
    case profileCalibrationSignature = 50932
    case extraCameraProfiles = 50933
    case forwardMatrix1 = 50964
    case forwardMatrix2 = 50965
    case previewApplicationName = 50966
    case previewColorSpace = 50970
    case previewDateTime = 50971
    case rawImageDigest = 50972
    case originalRawFileDigest = 50973
    case subTileBlockSize = 50974
    case rowInterleaveFactor = 50975
    case opcodeList1 = 51008
    case opcodeList2 = 51009
    case opcodeList3 = 51022
    case noiseProfile = 51041
    case newRawImageDigest = 51111
    case cacheVersion = 51114
    case enhanceParams = 51182
    case columnInterleaveFactor = 52547
    case jxlDistance = 52553
    case jxlDecodeSpeed = 52555
}

/// The value types of TIFF 6.
enum TIFFType: UInt16 {
    case byte = 1
    case ascii, short, long, rational, sbyte, undefined, sshort, slong, srational, float, double, ifd

    /// Bytes a value.
    var size: Int {
        switch self {
        case .byte, .ascii, .sbyte, .undefined: 1
        case .short, .sshort: 2
        case .long, .slong, .float, .ifd: 4
        case .rational, .srational, .double: 8
        }
    }
}
