import ImageCaches
import Testing

@testable import ImageDownloads

@Suite("Flight board", .timeLimit(.minutes(8)))
struct FlightBoardTests {
  /// A board with one flight that has been given its slot, and whose task isn't attached yet.
  private func boardBeforeAttach() throws -> (FlightBoard, number: Int, receipt: RequestReceipt) {
    var board = FlightBoard(limits: .init())
    let order = FlightOrder(source: .url("http://a.example/a"), headers: [], cacheMode: .standard)
    let receipt = RequestReceipt(ImageRequest(order.source))
    _ = board.add(order, priority: 0) { joined in
      FlightBoard.Waiter(receipt: receipt, completion: { _ in }, progress: nil, joined: joined)
    }
    _ = board.begin(now: 0)
    let number = try #require(board.flights.keys.first)
    board.enqueue(Journey(order, home: try #require(order.address)), number)
    let starts = board.begin(now: 0).contains { if case .transfer(number, _) = $0 { true } else { false } }
    #expect(starts)
    return (board, number, receipt)
  }

  private func sleeper() -> Task<Void, Never> {
    Task { while !Task.isCancelled { await Task.yield() } }
  }

  @Test("a flight that is shut down between its slot and its task is cancelled with its task")
  func shutDownBeforeAttach() async throws {
    var (board, number, _) = try boardBeforeAttach()
    _ = board.shutDown()
    let task = sleeper()
    board.attach(task, to: number)
    #expect(task.isCancelled)
    task.cancel()
  }

  @Test("a flight that is cancelled between its slot and its task is cancelled with its task")
  func cancelBeforeAttach() async throws {
    var (board, number, receipt) = try boardBeforeAttach()
    _ = board.cancel(abortsActive: true) { $0 === receipt }
    let task = sleeper()
    board.attach(task, to: number)
    #expect(task.isCancelled)
    task.cancel()
  }

  @Test("a flight that is still wanted goes on")
  func attach() async throws {
    var (board, number, _) = try boardBeforeAttach()
    let task = sleeper()
    board.attach(task, to: number)
    #expect(!task.isCancelled)
    task.cancel()
  }
}
