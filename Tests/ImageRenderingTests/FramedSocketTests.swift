import Foundation
import Glibc
import TestSupport
import Testing

@testable import ImageRendering

/// Two connected sockets, and what a test does with the far one byte by byte.
private final class SocketPair: Sendable {
  let near: FramedSocket
  let far: FramedSocket
  private let isFarOpen = Shared(true)

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    near = FramedSocket(descriptor: ends[0])
    far = FramedSocket(descriptor: ends[1])
  }

  deinit {
    close(near.descriptor)
    closeFar()
  }

  func closeFar() {
    isFarOpen.change { isOpen in
      if isOpen { close(far.descriptor) }
      isOpen = false
    }
  }

  func write(_ bytes: some Collection<UInt8>) {
    var bytes = Array(bytes)
    while !bytes.isEmpty {
      let count = send(far.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { return }
      bytes.removeFirst(count)
    }
  }

  /// A frame's bytes as they go over the wire.
  static func frame(of value: some WireValue) throws -> [UInt8] {
    let pair = try SocketPair()
    try pair.near.send(value)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(pair.far.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    try #require(count > 0)
    return Array(bytes.prefix(count))
  }
}

private struct Note: WireValue, Hashable {
  var number: Int
  var text: String

  init(number: Int, text: String) { (self.number, self.text) = (number, text) }

  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(number)
    try writer.write(text)
  }

  init(from reader: inout WireReader) throws(WireError) {
    number = try reader.read()
    text = try reader.read()
  }
}

@Suite("Frames over a socket", .timeLimit(.minutes(8)))
struct FramedSocketTests {
  private func failure(_ body: () throws(FramedSocket.Failure) -> Void) -> FramedSocket.Failure? {
    do throws(FramedSocket.Failure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("come out as they went in, in their order, whatever is in them")
  func roundTrip() throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let pair = try SocketPair()
    for round in 0..<200 {
      let notes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Note(
          number: Int.random(in: .min ... .max, using: &random),
          text: String(
            String.UnicodeScalarView(
              (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random))
              })))
      }
      for note in notes { try pair.near.send(note) }
      for note in notes {
        let received = try pair.far.receive(Note.self, timeout: .seconds(60))
        #expect(received == note, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("are whole however the stream is cut into pieces")
  func split() throws {
    let notes = [Note(number: 1, text: "one"), Note(number: 2, text: String(repeating: "é\0", count: 50))]
    let stream = try notes.flatMap { try SocketPair.frame(of: $0) }
    for piece in [1, 2, 3, 4, 5, 7, 64, stream.count] {
      let pair = try SocketPair()
      let writer = Thread {
        for start in stride(from: 0, to: stream.count, by: piece) {
          pair.write(stream[start..<min(stream.count, start + piece)])
        }
      }
      writer.start()
      for note in notes {
        #expect(try pair.near.receive(Note.self, timeout: .seconds(60)) == note, "pieces of \(piece)")
      }
    }
  }

  @Test("that are longer than the socket's buffer pass while the other end reads")
  func large() throws {
    let pair = try SocketPair()
    let text = String(repeating: "0123456789abcdef", count: 1 << 17)
    let failed = Shared(false)
    let writer = Thread {
      do { try pair.far.send(Note(number: 7, text: text)) } catch { failed.change { $0 = true } }
    }
    writer.start()
    let note = try pair.near.receive(Note.self, timeout: .seconds(60))
    #expect(note.number == 7 && note.text == text)
    #expect(!failed.value)
  }

  @Test("that end too early are a closed connection, wherever they end")
  func short() throws {
    let frame = try SocketPair.frame(of: Note(number: 3, text: "three"))
    for length in 0..<frame.count {
      let pair = try SocketPair()
      pair.write(frame.prefix(length))
      pair.closeFar()
      let error = failure { () throws(FramedSocket.Failure) in _ = try pair.near.receive(Note.self) }
      guard case .closed? = error else {
        Issue.record("\(length) of \(frame.count) bytes: \(String(describing: error))")
        continue
      }
    }
  }

  @Test("that don't come in time are no longer waited for, however much of them is there")
  func timeout() throws {
    let frame = try SocketPair.frame(of: Note(number: 3, text: "three"))
    for length in [0, 1, 3, 4, 5, frame.count - 1] {
      let pair = try SocketPair()
      pair.write(frame.prefix(length))
      let error = failure { () throws(FramedSocket.Failure) in
        _ = try pair.near.receive(Note.self, timeout: .milliseconds(5))
      }
      guard case .timedOut? = error else {
        Issue.record("\(length) of \(frame.count) bytes: \(String(describing: error))")
        continue
      }
    }
    let pair = try SocketPair()
    let error = failure { () throws(FramedSocket.Failure) in
      _ = try pair.near.receive(Note.self, timeout: .zero)
    }
    guard case .timedOut? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("that are there are taken even past their time")
  func late() throws {
    let pair = try SocketPair()
    let note = Note(number: 3, text: "three")
    for timeout in [Duration.zero, .seconds(-5)] {
      try pair.far.send(note)
      #expect(try pair.near.receive(Note.self, timeout: timeout) == note)
    }
  }

  @Test("that announce more than is believed are refused before any of it is awaited")
  func oversized() throws {
    let pair = try SocketPair()
    pair.write([0xFF, 0xFF, 0xFF, 0xFF])
    let error = failure { () throws(FramedSocket.Failure) in
      _ = try pair.near.receive(Note.self, timeout: .seconds(60))
    }
    guard case .malformed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("that would be longer than is believed aren't sent, and the next one is")
  func tooLong() throws {
    let pair = try SocketPair()
    let error = failure { () throws(FramedSocket.Failure) in
      let text = String(repeating: "x", count: FramedSocket.longestFrame)
      try pair.near.send(Note(number: 1, text: text), timeout: .seconds(1))
    }
    guard case .unsendable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try pair.near.send(Note(number: 2, text: "short"))
    #expect(try pair.far.receive(Note.self, timeout: .seconds(60)) == Note(number: 2, text: "short"))
  }

  @Test("that hold another value are malformed")
  func wrongValue() throws {
    let pair = try SocketPair()
    try pair.far.send(["a", "b"])
    let error = failure { () throws(FramedSocket.Failure) in
      _ = try pair.near.receive(Note.self, timeout: .seconds(60))
    }
    guard case .malformed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("with any byte changed are refused or read, and never stop the process")
  func damaged() throws {
    let frame = try SocketPair.frame(of: Note(number: 3, text: "three"))
    var refused = 0
    for position in frame.indices {
      for value in [0, 0x22, 0x7F, 0xFF] as [UInt8] {
        var bytes = frame
        bytes[position] = value
        let pair = try SocketPair()
        pair.write(bytes)
        pair.closeFar()
        if failure({ () throws(FramedSocket.Failure) in _ = try pair.near.receive(Note.self) }) != nil {
          refused += 1
        }
      }
    }
    #expect(refused > frame.count, "most of such frames can't be right")
  }

  @Test("to an end that is gone fail as closed, without a signal")
  func sendingToNobody() throws {
    let pair = try SocketPair()
    pair.closeFar()
    let error = failure { () throws(FramedSocket.Failure) in
      // The kernel may take a first frame before it knows.
      for _ in 0..<3 { try pair.near.send(Note(number: 1, text: "x")) }
    }
    guard case .closed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("over a descriptor that is none say what the system says")
  func noDescriptor() {
    let socket = FramedSocket(descriptor: -1)
    for error in [
      failure { () throws(FramedSocket.Failure) in try socket.send(1) },
      failure { () throws(FramedSocket.Failure) in _ = try socket.receive(Int.self) },
    ] {
      guard case .system(EBADF)? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test("survive signals in the middle of sending and receiving")
  func interrupted() throws {
    // Without SA_RESTART, so that the calls themselves are interrupted.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGURG, &action, nil)
    let pair = try SocketPair()
    let text = String(repeating: "x", count: 1 << 20)
    let reader = Shared<pthread_t?>(nil)
    let isDone = Shared(false)
    let result = Shared<[Int]>([])
    let thread = Thread {
      reader.change { $0 = pthread_self() }
      for _ in 0..<4 {
        let note = try? pair.near.receive(Note.self, timeout: .seconds(100))
        result.change { $0.append(note.map { $0.text.utf8.count } ?? -1) }
      }
      reader.change { $0 = nil }
      isDone.change { $0 = true }
    }
    thread.start()
    let nagger = Thread {
      while !isDone.value {
        // Under the lock: a thread that has ended has no number any more.
        reader.change { if let thread = $0 { _ = pthread_kill(thread, SIGURG) } }
        usleep(100)
      }
    }
    nagger.start()
    for _ in 0..<4 { try pair.far.send(Note(number: 1, text: text)) }
    while !isDone.value { usleep(200) }
    #expect(result.value == [Int](repeating: text.utf8.count, count: 4))
  }
}
