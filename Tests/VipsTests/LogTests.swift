import CVips
import Glibc
import Testing

@testable import Vips

@Suite("The log of libvips", .timeLimit(.minutes(8)), .serialized)
struct LogTests {
  /// As libvips warns: through GLib, from the calling thread.
  private static func warn(_ text: String, level: GLogLevelFlags = G_LOG_LEVEL_WARNING) {
    withVaList([]) { g_logv("VIPS", level, text, $0) }
  }

  /// Runs `body` on a thread of its own, and waits for its end.
  private static func onThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { box in
        if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    #expect(status == 0)
    pthread_join(thread, nil)
  }

  /// A log's messages that begin with a word: other suites' decoders warn at the same time.
  private static func messages(of log: VipsLog, _ word: String) -> [String] {
    log.messages.filter { $0.hasPrefix(word) }
  }

  @Test("has a thread's own warnings, in order and each once")
  func order() throws {
    try VipsRuntime.start()
    let log = VipsLog()
    for text in ["order: second thoughts", "order: first", "order: second thoughts", "order: third"] {
      Self.warn(text)
    }
    #expect(
      Self.messages(of: log, "order:") == ["order: second thoughts", "order: first", "order: third"])
  }

  @Test("takes warnings, criticals and messages, and no less")
  func levels() throws {
    try VipsRuntime.start()
    let log = VipsLog()
    Self.warn("level: warning")
    Self.warn("level: message", level: G_LOG_LEVEL_MESSAGE)
    Self.warn("level: information", level: G_LOG_LEVEL_INFO)
    Self.warn("level: debugging", level: G_LOG_LEVEL_DEBUG)
    #expect(Self.messages(of: log, "level:") == ["level: warning", "level: message"])
  }

  @Test("holds 32 warnings at most")
  func limit() throws {
    try VipsRuntime.start()
    let log = VipsLog()
    for number in 0..<100 { Self.warn("limit: \(number)") }
    let messages = Self.messages(of: log, "limit:")
    #expect(log.messages.count == 32)
    #expect(messages == (0..<messages.count).map { "limit: \($0)" })
  }

  @Test("leaves out what there is nothing to do about")
  func harmless() throws {
    try VipsRuntime.start()
    let log = VipsLog()
    Self.warn("harmless: ignoring nclx profile")
    #expect(Self.messages(of: log, "harmless:").isEmpty)
  }

  @Test("begins with the object: what came before isn't in it")
  func beginnings() throws {
    try VipsRuntime.start()
    Self.warn("begin: before")
    let first = VipsLog()
    Self.warn("begin: between")
    let second = VipsLog()
    Self.warn("begin: after")
    #expect(Self.messages(of: first, "begin:") == ["begin: between", "begin: after"])
    #expect(Self.messages(of: second, "begin:") == ["begin: after"])
  }

  @Test("is a thread's own: a warning of one that records isn't in another's log")
  func threads() throws {
    try VipsRuntime.start()
    let mine = VipsLog()
    Self.onThread {
      let other = VipsLog()
      Self.warn("own: from the other thread")
      #expect(Self.messages(of: other, "own:") == ["own: from the other thread"])
    }
    #expect(Self.messages(of: mine, "own:").isEmpty)
    Self.warn("own: from here")
    #expect(Self.messages(of: mine, "own:") == ["own: from here"])
  }

  @Test("gets a warning of a thread that has no log, as every other log does")
  func orphans() throws {
    try VipsRuntime.start()
    let logs = (0..<3).map { _ in VipsLog() }
    Self.onThread { Self.warn("orphan: from one of libvips' own threads") }
    for log in logs {
      #expect(Self.messages(of: log, "orphan:") == ["orphan: from one of libvips' own threads"])
    }
  }
}
