internal import NightfuseCore

/// What a file says its colours are: the space, the profile that goes with the result, and what was assumed.
struct ColourTag {
    var space = ColourSpace.sRGB
    var icc: [UInt8] = []
    var notes: [String] = []

    /// Nothing is said: sRGB.
    init() {}

    /// A space told by other means than a profile; one is made for it, unless it is sRGB.
    init(_ space: ColourSpace, channels: Int) {
        self.space = space
        if space.transfer != .sRGB || space.toXYZ != ColourSpace.sRGB.toXYZ {
            icc = makeICCProfile(space, channels: channels)
        }
    }

    /// An embedded profile. One that cannot be used stands for sRGB, with a note; it still goes with the result where it
    /// is of the right kind, so that the pixels mean what they meant.
    init(profile bytes: [UInt8], channels: Int) {
        guard let profile = ICCProfile(bytes) else {
            notes = ["the ICC profile is broken and is left out; the colours are taken as sRGB"]
            return
        }
        switch profile.model {
        case .other(let kind):
            notes = ["the ICC profile is for \(kind) and is left out; the colours are taken as sRGB"]
            return
        case .grey where channels == 3, .rgb where channels == 1:
            // The curve is what counts; the picture gets a profile that fits it.
            guard let found = profile.space else {
                notes = ["the ICC profile does not fit the picture and is left out; it is taken as sRGB"]
                return
            }
            let own = ColourSpace(name: found.name, toXYZ: ColourSpace.sRGB.toXYZ, transfer: found.transfer)
            self = ColourTag(own, channels: channels)
        case .grey, .rgb:
            icc = bytes
            if let found = profile.space {
                space = found
            } else {
                notes = [
                    "the ICC profile \(profile.name) has tables instead of a matrix and curves; it is kept, "
                        + "and the light is worked out as if it were sRGB"
                ]
            }
        }
        if let note = profile.note { notes.append(note) }
    }

    /// What EXIF says, where nothing else does.
    init(exif: EXIFBlock?, channels: Int) {
        guard channels == 3, let exif, exif.saysAdobeRGB,
            // Adobe RGB (1998), 4.3.4.2: a gamma of 2 51/256.
            let space = Primaries.adobeRGB.space("Adobe RGB (1998)", .gamma(2.19921875))
        else { return }
        self = ColourTag(space, channels: channels)
    }
}
