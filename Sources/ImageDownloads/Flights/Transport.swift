import Curl
import ImageCaches
import Synchronization

/// The steps of a journey: the stored answer, one transfer, the handling of its answer. It knows nothing of queues and waiters.
struct Transport: Sendable {
  /// What comes after a step.
  enum Step: Sendable {
    /// The journey has ended.
    case done(Result<Answer, DownloadError>)
    /// A transfer is needed.
    case transfer(Journey)
    /// A transfer is needed after so many seconds.
    case retry(Journey, after: Double, because: DownloadError, hostPause: Double?)
    /// The journey goes on elsewhere.
    case redirect(Journey)
    /// The stored answer is good enough, and is validated afterwards.
    case doneForNow(Answer, validate: Journey)
  }

  let configuration: ImageDownloader.Configuration
  let store: DiskStore
  let work: BlockingWork
  let meter: DownloadMeter
  let table: ResponseTable
  let salt: CredentialSalt
  let validation: ResponseValidation
  let retryPolicy: RetryPolicy

  init(
    configuration: ImageDownloader.Configuration, store: DiskStore, work: BlockingWork, meter: DownloadMeter
  ) {
    self.configuration = configuration
    self.store = store
    self.work = work
    self.meter = meter
    table = ResponseTable(store: store)
    salt = CredentialSalt(store: store)
    validation = ResponseValidation(acceptableContentTypes: configuration.acceptableContentTypes)
    retryPolicy = RetryPolicy(
      retries: configuration.retries, base: configuration.retryWait, cap: configuration.longestRetryWait)
  }
}
