import Glibc

// The functions that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). FUZZ_TARGET names the target.

private let target: FuzzTarget = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    fatalError("set FUZZ_TARGET to one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
  }
  return target
}()

/// Checks an input with the target; a finding ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  do {
    try target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError("\(target.name): \(error)")
  }
  return 0
}
