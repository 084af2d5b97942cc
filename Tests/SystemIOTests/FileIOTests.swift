import Glibc
import Synchronization
import SystemIO
import TestSupport
import Testing

@Suite("Calls on descriptors", .timeLimit(.minutes(8)))
struct FileIOTests {
  /// Two ends of a pipe, closed with the last reference.
  private final class Pipe: Sendable {
    let reading: Int32
    private let writing: Mutex<Int32>
    var writer: Int32 { writing.withLock { $0 } }

    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw SystemError.last }
      reading = ends[0]
      writing = Mutex(ends[1])
    }

    func endWriting() {
      writing.withLock { number in
        if number >= 0 { close(number) }
        number = -1
      }
    }

    deinit {
      close(reading)
      endWriting()
    }
  }

  private static func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test("what a pipe takes in pieces arrives whole, however it is read")
  func shortWrites() async throws {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    for nonblocking in [false, true] {
      let pipe = try Pipe()
      // The smallest that a pipe can be.
      #expect(fcntl(pipe.writer, 1031 /* F_SETPIPE_SZ */, 4096) >= 0)
      if nonblocking { #expect(fcntl(pipe.writer, F_SETFL, O_NONBLOCK) == 0) }
      let sent = Self.bytes(300_001, &random)
      let writer = OwnThread { () throws(SystemError) in
        defer { pipe.endWriting() }
        try FileIO.write(sent, to: pipe.writer)
      }
      var received: [UInt8] = []
      while true {
        var piece = [UInt8](repeating: 0, count: Int.random(in: 1...9000, using: &random))
        let count = try FileIO.read(pipe.reading, into: &piece)
        if count == 0 { break }
        received += piece[..<count]
      }
      try await writer.value()
      #expect(received == sent, "seed \(seed)")
    }
  }

  @Test("signals fail no read and no write")
  func interruptions() async throws {
    let pipe = try Pipe()
    let reader = OwnThread { () throws(SystemError) in try FileIO.readToEnd(pipe.reading) }
    reader.interrupt(times: 20)
    try FileIO.write(Array("late".utf8), to: pipe.writer)
    reader.interrupt(times: 20)
    pipe.endWriting()
    #expect(try await reader.value() == Array("late".utf8))

    let full = try Pipe()
    #expect(fcntl(full.writer, 1031, 4096) >= 0)
    let writer = OwnThread { () throws(SystemError) in
      defer { full.endWriting() }
      try FileIO.write([UInt8](repeating: 7, count: 20_000), to: full.writer)
    }
    writer.interrupt(times: 20)
    #expect(try FileIO.readToEnd(full.reading) == [UInt8](repeating: 7, count: 20_000))
    try await writer.value()
  }

  @Test("opening a named pipe waits through signals, and so does a file's reading")
  func interruptedOpening() async throws {
    let root = try TestDirectory("system")
    let path = root.path + "/fifo"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = OwnThread { () throws(SystemError) in try File.contents(of: path) }
    reader.interrupt(times: 10)
    // For both, so that it never waits for a reader that has failed.
    let writer = try FileIO.open(path, O_RDWR)
    reader.interrupt(times: 10)
    try FileIO.write([1, 2, 3], to: writer)
    close(writer)
    #expect(try await reader.value() == [1, 2, 3])
  }

  @Test("a full disk is said, and so is a reader that has gone")
  func failures() throws {
    let full = try FileDescriptor(opening: "/dev/full", O_WRONLY)
    #expect(throws: SystemError(code: ENOSPC)) { try FileIO.write([1], to: full.number) }
    #expect(throws: SystemError(code: ENOSPC)) { try File.write([1], to: "/dev/full") }
    let reading = try FileDescriptor(opening: "/dev/null", O_RDONLY)
    #expect(throws: SystemError(code: EBADF)) { try FileIO.write([1], to: reading.number) }
    #expect(throws: SystemError(code: EBADF)) { try FileIO.readToEnd(-1) }
    #expect(throws: SystemError(code: EISDIR)) { try File.contents(of: "/") }
    #expect(SystemError(code: EPIPE).isReaderGone && SystemError(code: ECONNRESET).isReaderGone)
    #expect(!SystemError(code: ENOSPC).isReaderGone)
  }

  @Test("nothing to write is no call")
  func empty() throws {
    try FileIO.write([], to: -1)
  }

  @Test("a place of a file is read whole, and its position stays")
  func places() throws {
    let root = try TestDirectory("system")
    let path = root.path + "/file"
    try File.write(Array(0..<100), to: path)
    let file = try FileDescriptor(opening: path, O_RDONLY)
    var room = [UInt8](repeating: 255, count: 30)
    #expect(try FileIO.read(file.number, at: 20, into: &room) == 30)
    #expect(room == Array(20..<50))
    #expect(try FileIO.read(file.number, at: 90, into: &room) == 10)
    #expect(room.prefix(10) == Array(90..<100)[...] && room[10] == 30)
    #expect(try FileIO.read(file.number, at: 100, into: &room) == 0)
    #expect(lseek(file.number, 0, SEEK_CUR) == 0)
    #expect(try file.contents(limit: 10) == Array(0..<10))
    #expect(try file.contents(limit: 1000) == Array(0..<100))
    #expect(try file.contents(limit: 0) == [])
    var seen: [UInt8] = []
    #expect(try file.forEachPiece { seen += $0 } == 100)
    #expect(seen == Array(0..<100) && lseek(file.number, 0, SEEK_CUR) == 0)
    #expect(file.status.st_size == 100 && file.isLinked)
    unlink(path)
    #expect(!file.isLinked)
  }

  @Test("a descriptor is closed with its last reference, and no child gets it")
  func ownership() throws {
    var file: FileDescriptor? = try FileDescriptor(opening: "/dev/null", O_RDONLY)
    let number = try #require(file?.number)
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    // Of another test the number may be by then, so only its flags at this place are asked.
    let twin = file
    file = nil
    #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
    withExtendedLifetime(twin) {}
  }

  @Test("a lock ends with its owner, though a forked child has a duplicate of the descriptor")
  func lockWithDuplicate() throws {
    let root = try TestDirectory("system")
    var owner: FileDescriptor? = try FileDescriptor(opening: root.path + "/lock", O_RDWR | O_CREAT)
    let duplicate = dup(try #require(owner?.number))
    defer { close(duplicate) }
    let other = try FileDescriptor(opening: root.path + "/lock", O_RDWR)
    #expect(owner?.lock(exclusive: true) == true && !other.lock(exclusive: true, waits: false))
    owner = nil
    #expect(other.lock(exclusive: true, waits: false))
  }

  @Test("one holds a lock alone, and many share one")
  func locks() throws {
    let root = try TestDirectory("system")
    let (first, second) = try (
      FileDescriptor(opening: root.path + "/lock", O_RDWR | O_CREAT),
      FileDescriptor(opening: root.path + "/lock", O_RDWR)
    )
    #expect(first.lock(exclusive: false) && second.lock(exclusive: false, waits: false))
    #expect(!first.lock(exclusive: true, waits: false))
    #expect(first.lock(exclusive: false))
  }
}

@Suite("Whole files", .timeLimit(.minutes(8)))
struct FileTests {
  private let root: TestDirectory
  private var path: String { root.path + "/file" }

  init() throws { root = try TestDirectory("system") }

  @Test("what is written is read", arguments: [0, 1, 4095, 4096, 131_072, 300_001])
  func roundTrip(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try File.write(bytes, to: path)
    #expect(try File.contents(of: path) == bytes)
    #expect(try File.contents(of: path, limit: count) == bytes)
    #expect(try File.size(of: path) == count)
    #expect(try File.start(of: path, count: 4096) == Array(bytes.prefix(4096)))
    try File.write([1], to: path)
    #expect(try File.contents(of: path) == [1])
    if count > 1 {
      try File.write(bytes, to: path)
      #expect(throws: SystemError(code: EFBIG)) { try File.contents(of: path, limit: count - 1) }
    }
  }

  @Test("a file that doesn't say its size is read to its end")
  func sizeless() throws {
    #expect(try File.contents(of: "/proc/self/stat").last == UInt8(ascii: "\n"))
    #expect(try File.size(of: "/proc/self/stat") == 0)
  }

  @Test("a missing file is said, and one that is there is told")
  func missing() {
    #expect(!File.exists(path))
    let missing = SystemError(code: ENOENT)
    #expect(throws: missing) { try File.contents(of: path) }
    #expect(throws: missing) { try File.start(of: path, count: 1) }
    #expect(throws: missing) { try File.size(of: path) }
    #expect(throws: missing) { try File.copy(path, to: path + "2") }
    #expect(!File.exists(path + "2") && File.exists("/"))
  }

  @Test("a copy has the same bytes, takes the place of a file, and leaves none where it fails")
  func copy() throws {
    let bytes = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try File.write(bytes, to: path)
    try File.write([UInt8](repeating: 1, count: 2_000_000), to: path + "2")
    try File.copy(path, to: path + "2")
    #expect(try File.contents(of: path + "2") == bytes)
    #expect(throws: SystemError.self) { try File.copy(root.path, to: path + "3") }
    #expect(!File.exists(path + "3"))
  }

  @Test("bytes are found by their places, across windows and up to the end")
  func fileBytes() throws {
    let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    try File.write(content, to: path)
    var file = try FileBytes(path: path)
    #expect(file.count == content.count)
    for place in [0, 65_535, 65_536, 199_999, 3, 131_072] {
      let byte = file.byte(place)
      #expect(byte == content[place], "\(place)")
    }
    for place in [-1, 200_000, Int.max] {
      let byte = file.byte(place)
      #expect(byte == nil, "\(place)")
    }
    let (across, all, tooMany) = (file.bytes(65_530, 12), file.bytes(199_990, 10), file.bytes(199_990, 11))
    #expect(across == Array(content[65_530..<65_542]) && all == Array(content[199_990...]) && tooMany == nil)
    try File.write([0x01, 0x02, 0x03, 0x04], to: path)
    var four = try FileBytes(path: path)
    let (little, big, cut) = (
      four.number(0, 4, littleEndian: true), four.number(1, 2, littleEndian: false),
      four.number(2, 4, littleEndian: true)
    )
    #expect(little == 0x0403_0201 && big == 0x0203 && cut == nil)
    #expect(throws: SystemError(code: ENOENT)) { _ = try FileBytes(path: path + "none") }
  }

  @Test("an error has its code and the system's words")
  func errors() {
    #expect(SystemError(code: ENOSPC).text == "No space left on device")
    #expect("\(SystemError(code: ENOENT))" == "No such file or directory")
    #expect(SystemError(code: 12_345).text.contains("12345"))
    #expect(SystemError(code: ENOENT).isMissing && SystemError(code: ENOTDIR).isMissing)
    #expect(!SystemError(code: EACCES).isMissing)
    // Every code has words of its own.
    let texts = (1...133).filter { ![41, 58].contains($0) }.map { SystemError(code: Int32($0)).text }
    #expect(Set(texts).count == texts.count && !texts.contains(""))
  }
}
