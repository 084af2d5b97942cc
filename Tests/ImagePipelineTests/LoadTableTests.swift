import ImageDownloads
import TestSupport
import Testing

@testable import ImagePipeline

@Suite("The table of loads", .timeLimit(.minutes(8)))
struct LoadTableTests {
  private let key = LoadKey(
    request: ImageRequest(.url("https://example.org/a.png")), authentication: .init(), identifier: "circle")
  private let table = Shared(LoadTable())

  private func waiter() -> LoadTable.Waiter {
    LoadTable.Waiter(receipt: ImageReceipt(key), progress: nil) { _ in }
  }

  /// A download's receipt; it is never sent.
  private func receipt() async throws -> RequestReceipt {
    let downloader = ImageDownloader(store: try .ephemeral())
    let receipt = downloader.download(ImageRequest(.data("data:,"))) { _ in }
    await downloader.shutDown()
    return receipt
  }

  @Test(
    "a call joins a load, and requests the download again only with a higher priority, before it has arrived")
  func priorities() throws {
    let number = try #require(table.change { $0.join(waiter(), priority: -1) })
    #expect(table.change { $0.join(waiter(), priority: -1) } == nil)
    #expect(table.change { $0.join(waiter(), priority: 0) } == number)
    #expect(table.change { $0.join(waiter(), priority: 0) } == nil)
    #expect(table.value.joinedCount == 3)
    #expect(table.change { $0.downloaded(key, number) })
    #expect(!table.change { $0.downloaded(key, number) }, "only the first of merged downloads goes on")
    #expect(table.change { $0.join(waiter(), priority: 9) } == nil)
    #expect(table.change { $0.startRendering(key, number) })
    #expect(table.change { $0.finish(key, number) }?.count == 5)
    #expect(table.change { $0.finish(key, number) } == nil)
  }

  @Test("the last waiter takes all downloads of a load along; a rendering goes on for the memory cache")
  func leaving() async throws {
    let (first, second) = (waiter(), waiter())
    let download = try await receipt()
    let number = try #require(table.change { $0.join(first, priority: -1) })
    #expect(table.value.hasNoDownload(key, number))
    #expect(table.change { $0.attach(download, to: key, number) })
    #expect(
      table.change { $0.join(second, priority: 0) } == number && !table.value.hasNoDownload(key, number))
    #expect(table.change { $0.attach(download, to: key, number) })
    #expect(table.change { $0.cancel(first.receipt) }?.downloads.isEmpty == true)
    #expect(table.change { $0.cancel(first.receipt) } == nil)
    #expect(table.change { $0.cancel(second.receipt) }?.downloads.count == 2)
    #expect(!table.value.isWanted(key, number) && !table.change { $0.downloaded(key, number) })
    #expect(!table.change { $0.attach(download, to: key, number) })

    let third = waiter()
    let next = try #require(table.change { $0.join(third, priority: 0) })
    #expect(
      next != number && !table.change { $0.startRendering(key, number) },
      "a late event of the old load has no effect")
    #expect(table.change { $0.downloaded(key, next) })
    let task = Task {}
    #expect(table.change { $0.attach(task, to: key, next) })
    #expect(table.change { $0.startRendering(key, next) })
    #expect(table.change { $0.cancel(third.receipt) }?.references == nil && table.value.isWanted(key, next))
    #expect(table.change { $0.finish(key, next) }?.isEmpty == true)
  }

  @Test("a load that waits for its references gives up their task with its last waiter")
  func references() throws {
    let only = waiter()
    let number = try #require(table.change { $0.join(only, priority: 0) })
    #expect(table.change { $0.downloaded(key, number) })
    let task = Task {}
    #expect(table.change { $0.attach(task, to: key, number) })
    #expect(table.change { $0.cancel(only.receipt) }?.references == task)
    #expect(!table.change { $0.attach(task, to: key, number) })
  }
}
