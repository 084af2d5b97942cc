import Foundation
import ImageCaches
import ImageDownloads
import ImageRendering
import TestSupport
import Testing
import Vips

@testable import ImagePipeline

@Suite("The table of encodings", .timeLimit(.minutes(8)))
struct EncodingTableTests {
  private let key = EncodedBytes.Key(request: "https://example.org/a.png", identifier: "circle")
  private let table = Shared(EncodingTable(capacity: 100_000))

  private func waiter() -> EncodingTable.Waiter {
    let load = LoadKey(
      request: ImageRequest(.url(key.request)), authentication: .init(), identifier: key.identifier)
    return EncodingTable.Waiter(receipt: ImageReceipt(load)) { _ in }
  }

  private func work(_ image: VipsImage, _ encoding: Encoding = .webp(quality: 80)) -> EncodingTable.Work {
    EncodingTable.Work(key: key, image: image, encoding: encoding)
  }

  private func version(_ number: UInt8) -> EncodedBytes.Version { [ContentDigest(hashing: [number])] }

  private func image() throws -> VipsImage { try VipsImage.plain([1, 2, 3], width: 2, height: 2) }

  private func kept(_ encoding: Encoding = .webp(quality: 80)) -> Data? {
    table.change { $0.bytes(key, encoding) }
  }

  @Test("calls for one image and encoding share an encoding; another image or encoding is another")
  func sharing() throws {
    let (first, second) = (try image(), try image())
    #expect(table.change { $0.join(waiter(), work(first), keeps: true) })
    #expect(!table.change { $0.join(waiter(), work(first), keeps: true) })
    #expect(table.change { $0.join(waiter(), work(second), keeps: true) })
    #expect(table.change { $0.join(waiter(), work(first, .png()), keeps: true) })
    #expect(table.value.receipts { _ in true }.count == 4)
    #expect(table.change { $0.finish(work(first), .success(Data([1]))) }.count == 2)
    #expect(table.change { $0.finish(work(first), .success(Data([1]))) }.isEmpty)
    #expect(kept() == Data([1]) && kept(.png()) == nil)
  }

  @Test("an encoding that every caller left completes for the memory")
  func leaving() throws {
    let (image, caller) = (try image(), waiter())
    #expect(table.change { $0.join(caller, work(image), keeps: true) })
    #expect(table.change { $0.cancel(caller.receipt) } != nil)
    #expect(table.change { $0.cancel(caller.receipt) } == nil)
    #expect(table.change { $0.finish(work(image), .success(Data([1]))) }.isEmpty)
    #expect(kept() == Data([1]))
  }

  @Test("failures aren't kept, nor bytes of requests that don't use the memory")
  func unkept() throws {
    let image = try image()
    #expect(table.change { $0.join(waiter(), work(image), keeps: true) })
    #expect(table.change { $0.finish(work(image), .failure(.requestCancelled)) }.count == 1)
    #expect(kept() == nil)
    #expect(table.change { $0.join(waiter(), work(image), keeps: false) })
    #expect(table.change { $0.finish(work(image), .success(Data([1]))) }.count == 1)
    #expect(kept() == nil && table.value.kept.usage == 0)
  }

  @Test("bytes of an image that was replaced or removed are never kept, whenever its encoding ends")
  func replaced() throws {
    let (old, new) = (try image(), try image())
    // A call has the old image when the new one is rendered.
    table.change { $0.begin(key) }
    table.change { $0.rendered(key, new, version: version(2)) }
    #expect(table.change { $0.join(waiter(), work(old), keeps: true) })
    table.change { $0.end(key) }
    #expect(table.change { $0.join(waiter(), work(new), keeps: true) })
    #expect(table.change { $0.finish(work(new), .success(Data([2]))) }.count == 1)
    #expect(table.change { $0.finish(work(old), .success(Data([1]))) }.count == 1)
    #expect(kept() == Data([2]))

    #expect(table.change { $0.join(waiter(), work(new, .png()), keeps: true) })
    #expect(table.change { $0.removeAll(request: key.request) })
    #expect(kept() == nil)
    #expect(table.change { $0.finish(work(new, .png()), .success(Data([3]))) }.count == 1)
    #expect(kept(.png()) == nil)
    #expect(!table.change { $0.removeAll(request: key.request) })
    // Later calls are as before.
    #expect(table.change { $0.join(waiter(), work(new), keeps: true) })
    #expect(table.change { $0.finish(work(new), .success(Data([2]))) }.count == 1)
    #expect(kept() == Data([2]))
    table.change { $0.rendered(key, old, version: version(1)) }
    #expect(kept() == nil)
  }

  @Test(
    "a rendering of the same bytes keeps the encodings of the one before, which the memory cache had evicted")
  func versions() throws {
    let (first, again) = (try image(), try image())
    table.change { $0.begin(key) }
    table.change { $0.rendered(key, first, version: version(1)) }
    #expect(table.change { $0.join(waiter(), work(first), keeps: true) })
    #expect(table.change { $0.finish(work(first), .success(Data([1]))) }.count == 1)
    table.change { $0.end(key) }
    table.change { $0.rendered(key, again, version: version(1)) }
    #expect(kept() == Data([1]))
    #expect(table.change { $0.join(waiter(), work(again, .png()), keeps: true) })
    #expect(table.change { $0.finish(work(again, .png()), .success(Data([2]))) }.count == 1)
    #expect(kept() == Data([1]) && kept(.png()) == Data([2]))
    let other = try image()
    table.change { $0.rendered(key, other, version: version(2)) }
    #expect(kept() == nil && kept(.png()) == nil)
  }

  @Test("the bytes stay within the capacity; the least recently used are removed first")
  func capacity() {
    var bytes = EncodedBytes(capacity: 20_000)
    for number in 0..<100 {
      let key = EncodedBytes.Key(request: "\(number)", identifier: "")
      bytes.add(Data(count: 1000), key, .png())
      bytes.add(Data(count: 500), key, .webp(quality: 80))
      #expect(bytes.usage <= 20_000)
      #expect(bytes.bytes(EncodedBytes.Key(request: "0", identifier: ""), .png())?.count == 1000)
    }
    #expect(bytes.bytes(EncodedBytes.Key(request: "99", identifier: ""), .webp(quality: 80))?.count == 500)
    #expect(bytes.bytes(EncodedBytes.Key(request: "50", identifier: ""), .png()) == nil)
    bytes.handle(.warning)
    #expect(bytes.usage <= 12_000 && bytes.usage > 0)
    bytes.add(Data(count: 30_000), EncodedBytes.Key(request: "large", identifier: ""), .png())
    #expect(bytes.usage <= 12_000)
    bytes.handle(.critical)
    #expect(bytes.usage == 0 && bytes.bytes(EncodedBytes.Key(request: "0", identifier: ""), .png()) == nil)
  }
}
