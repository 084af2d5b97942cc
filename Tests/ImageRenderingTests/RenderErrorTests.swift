import ImageFilters
import Testing

@testable import ImageRendering

@Suite("A rendering error's code", .timeLimit(.minutes(8)))
struct RenderErrorTests {
  @Test(
    "of a filter is the filter's",
    arguments: [FilterError.Code.syntax, .unknownFilter, .badArgument, .circular, .tooLong, .failed])
  func filters(code: FilterError.Code) {
    #expect(RenderError.Code(code).rawValue == code.rawValue)
  }

  @Test("of too many pixels has the pixels and the limit")
  func pixels() {
    var failure = FilterError(.failed, "too large")
    failure.reason = .tooManyPixels(9, limit: 4)
    let error = RenderError(failure)
    #expect(error.reason == .filterPixels(9, limit: 4) && error.message == "too large")
  }
}
