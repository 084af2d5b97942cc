import Testing

@testable import Vips

@Suite("Errors of libvips", .timeLimit(.minutes(8)))
struct ErrorTests {
  @Test(
    "are one line: the operation, and each fact once",
    arguments: [
      ("", "resize failed"), ("\n\n", "resize failed"), ("bad scale\n", "resize: bad scale"),
      ("a\nb\n", "resize: a; b"), ("a\na\nb\na\n", "resize: a; b"), ("  a\n   a\n", "resize: a"),
    ])
  func description(text: String, description: String) {
    #expect(VipsError(operation: "resize", text: text).description == description)
  }

  @Test("are what libvips says of this call, and nothing of the one before")
  func own() throws {
    let image = try Sample.image(5, 5)
    for round in 0..<20 {
      let first = Sample.failure { _ = try image.cropped(x: 4, y: 0, width: 3, height: 3) }
      let second = Sample.failure {
        _ = try VipsOperation("pngload", ["filename": .string("/no/such/file-\(round).png")])
      }
      if first?.isCertain == true { #expect(first?.text.contains(".png") == false) }
      if second?.isCertain == true {
        #expect(second?.text.contains("file-\(round).png") == true)
        #expect(second?.text.contains("extract") == false)
      }
    }
  }

  @Test("leave no words behind: a call that succeeds after a failure is no failure")
  func recovery() throws {
    let image = try Sample.image(5, 5)
    for _ in 0..<10 {
      #expect(throws: VipsError.self) { try image.cropped(x: 9, y: 0, width: 1, height: 1) }
      #expect(try image.cropped(x: 4, y: 4, width: 1, height: 1).pixels().count == 3)
    }
  }

  @Test("are certain inside of `alone`, which may be nested")
  func alone() {
    let error = VipsErrorLock.exclusive {
      VipsErrorLock.exclusive {
        Sample.failure { _ = try VipsOperation("pngload", ["filename": "/no/such/file-alone.png"]) }
      }
    }
    #expect(error?.isCertain == true && error?.text.contains("file-alone.png") == true)
  }

  @Test("of reading pixels are thrown when they are read")
  func late() throws {
    let whole = try Sample.file(Sample.image(200, 200), as: "png", ["compression": 0])
    let cut = try Sample.loaded(Array(whole.prefix(whole.count / 2)), as: "png", ["fail-on": "truncated"])
    #expect(cut.width == 200)
    for attempt in [
      { _ = try cut.pixels() }, { _ = try cut.materialized() }, { _ = try cut.measuring("avg") },
    ] as [() throws -> Void] {
      #expect(throws: VipsError.self) { try attempt() }
    }
  }

  @Test("keep the gate open: threads that wait to be alone come through among those that fail")
  func gate() async {
    let count = await withTaskGroup(of: Int.self) { group in
      for task in 0..<6 {
        group.addTask {
          var count = 0
          for _ in 0..<50 {
            if task % 3 == 0 {
              count += VipsErrorLock.exclusive { 1 }
            } else {
              let error = Sample.failure { _ = try VipsOperation("pngload", ["filename": "/no/such/file"]) }
              count += error == nil ? 0 : 1
            }
          }
          return count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(count == 300)
  }
}
