import ObjectStorage
import Testing

@testable import ImageDownloads

@Suite("Renewal of credentials", .timeLimit(.minutes(8)))
struct CredentialRenewalTests {
  private let first = AccessKey(id: "A", secret: "s", token: "t")
  private let second = AccessKey(id: "B", secret: "s", token: "t")
  private let failure = CredentialFailure("no route", isTemporary: true)

  @Test("one fetch serves all who wait, and credentials are used until shortly before their end")
  func lifetime() {
    var renewal = CredentialRenewal()
    #expect(renewal.ask(now: 0) == .wait(fetches: true))
    #expect(renewal.ask(now: 1) == .wait(fetches: false))
    #expect(renewal.finish(.success((first, 6000)), now: 2) == .success(first))
    #expect(renewal.ask(now: 5100) == .key(first, fetches: false))
    // The last 15 minutes: the key is used while the next one is fetched, once.
    #expect(renewal.ask(now: 5103) == .key(first, fetches: true))
    #expect(renewal.ask(now: 5104) == .key(first, fetches: false))
    #expect(renewal.finish(.success((second, 6000)), now: 5105) == .success(second))
    #expect(renewal.ask(now: 6003) == .key(second, fetches: false))
  }

  @Test("a server that gives the same credentials again is asked every ten seconds at most")
  func sameCredentials() {
    var renewal = CredentialRenewal()
    _ = renewal.ask(now: 0)
    _ = renewal.finish(.success((first, 4000)), now: 0)
    var fetches = 0
    for second in stride(from: 0.0, to: 3930, by: 1) {
      guard case .key(let key, let fetching) = renewal.ask(now: second) else {
        Issue.record("no key at \(second)")
        return
      }
      #expect(key == first)
      guard fetching else { continue }
      fetches += 1
      _ = renewal.finish(.success((first, 4000 - second)), now: second)
    }
    #expect(fetches > 80 && fetches <= 83, "\(fetches)")
  }

  @Test("in the last minute requests wait, and use what there is if the fetch fails")
  func lastMinute() {
    var renewal = CredentialRenewal()
    _ = renewal.ask(now: 0)
    _ = renewal.finish(.success((first, 4000)), now: 0)
    #expect(renewal.ask(now: 3950) == .wait(fetches: true))
    #expect(renewal.finish(.failure(failure), now: 3951) == .success(first))
    #expect(renewal.ask(now: 3952) == .key(first, fetches: false))
    #expect(renewal.ask(now: 3954) == .wait(fetches: true))
    #expect(renewal.finish(.failure(failure), now: 4001) == .failure(failure))
  }

  @Test("a failure stands for a while, a longer one each time, and a minute at most")
  func failures() {
    var renewal = CredentialRenewal()
    var (now, pauses) = (0.0, [Double]())
    for _ in 0..<8 {
      #expect(renewal.ask(now: now) == .wait(fetches: true))
      #expect(renewal.finish(.failure(failure), now: now) == .failure(failure))
      let failed = now
      while case .failed(let told) = renewal.ask(now: now + 1) {
        #expect(told == failure)
        now += 1
      }
      _ = renewal.finish(.failure(failure), now: now + 1)
      pauses.append(now + 1 - failed)
      now += 200
    }
    #expect(pauses.first == 2 && pauses.max() == 60, "\(pauses)")
  }

  @Test("credentials that live for a minute are renewed in its last quarter, and not waited for")
  func shortLife() {
    var renewal = CredentialRenewal()
    _ = renewal.ask(now: 0)
    _ = renewal.finish(.success((first, 60)), now: 0)
    #expect(renewal.ask(now: 44) == .key(first, fetches: false))
    #expect(renewal.ask(now: 46) == .key(first, fetches: true))
    #expect(renewal.ask(now: 50) == .key(first, fetches: false))
    #expect(renewal.ask(now: 57) == .wait(fetches: false))
  }

  @Test(
    "a refused key isn't used again, and a server that refuses each new one can't make us ask all the time")
  func refusal() {
    var renewal = CredentialRenewal()
    _ = renewal.ask(now: 0)
    _ = renewal.finish(.success((first, 4000)), now: 0)
    renewal.discard(second, now: 1000)
    #expect(renewal.ask(now: 1000) == .key(first, fetches: false), "another key was refused")
    renewal.discard(first, now: 1000)
    #expect(renewal.ask(now: 1000) == .wait(fetches: true))
    _ = renewal.finish(.success((second, 4000)), now: 1000)
    renewal.discard(second, now: 1001)
    guard case .failed(let failure) = renewal.ask(now: 1001) else {
      Issue.record("asked again at once")
      return
    }
    #expect(failure.isTemporary && failure.message.contains("refuses"))
    #expect(renewal.ask(now: 1006) == .wait(fetches: true))
  }
}
