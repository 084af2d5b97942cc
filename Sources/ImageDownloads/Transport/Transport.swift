import Curl
import ImageCaches
import Synchronization

/// The steps of a state: the stored answer, one transfer, the handling of its answer. It knows nothing of queues and waiters.
struct Transport: Sendable {
  /// What comes after a step.
  enum Step: Sendable {
    /// The state has ended.
    case done(Result<Response, DownloadError>)
    /// A transfer is needed.
    case transfer(RequestState)
    /// A transfer is needed after so many seconds.
    case retry(RequestState, after: Double, because: DownloadError, hostPause: Double?)
    /// The state goes on elsewhere.
    case redirect(RequestState)
    /// The stored answer is good enough, and is validated afterwards.
    case doneForNow(Response, validate: RequestState)
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

  /// What a step means for the queue. Redirects are followed into the cache. Blocks where there is one.
  func nextStep(_ step: Step) -> NextStep {
    switch step {
    case .done(let outcome): .complete(outcome)
    case .doneForNow(let response, let state): .completeAndValidate(response, state.key.refreshing)
    case .transfer(let state): .transfer(state)
    case .redirect(let state): nextStep(lookUp(state))
    case .retry(let state, let seconds, let error, let pause):
      .retry(.init(state: state, seconds: seconds, error: error, hostPause: pause))
    }
  }
}
