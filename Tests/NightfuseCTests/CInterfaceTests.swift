import CHost
import NightfuseC
import Testing

/// The checks are C (Tests/_CHost): they see the header as C does, and go through the library's C border.
@Suite("C interface", .serialized)
struct CInterfaceTests {
    private func expect(_ check: () -> UnsafePointer<CChar>?, _ location: SourceLocation = #_sourceLocation) {
        let failure = check().map { String(cString: $0) }
        #expect(failure == nil, sourceLocation: location)
    }

    @Test func aProgramInCMetersPlansAndFuses() { expect(chost_whole_shoot) }
    @Test func everyLayoutIsWrittenAndReadAgain() { expect(chost_every_layout) }
    @Test func packedAndUnpackedRawFramesGiveOnePicture() { expect(chost_raw_burst) }
    @Test func aMeterThatIsResetTakesAnotherSize() { expect(chost_meter_again) }
    @Test func nullPointersAreRefused() { expect(chost_null_pointers) }
    @Test func structsMayBeShorterOrLonger() { expect(chost_struct_sizes) }
    @Test func stridesShorterThanARowAreRefused() { expect(chost_short_strides) }
    @Test func sizesThatChangeAreRefusedAndTheSessionGoesOn() { expect(chost_changing_sizes) }
    @Test func callsOutOfOrderAreRefused() { expect(chost_out_of_order) }
    @Test func aPlanOfNoPreviewsIsRefused() { expect(chost_plan_of_no_previews) }
    @Test func numbersThatAreNoneAreRefused() { expect(chost_numbers_that_are_none) }
    @Test func anOutputThatOverlapsIsRefused() { expect(chost_overlapping_planes) }
    @Test func constantsThatAreUnknownAreRefused() { expect(chost_unknown_constants) }
    @Test func aCancelledSessionDoesNoMore() { expect(chost_cancel) }
}
