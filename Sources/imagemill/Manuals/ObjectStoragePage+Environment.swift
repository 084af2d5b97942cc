extension ObjectStoragePage {
  /// The variables and files of AWS's tools that are read.
  static let environmentAndFiles = #"""
    .Sh ENVIRONMENT
    Empty variables count as unset.
    .Bl -tag -width Ds
    .It Ev AWS_ACCESS_KEY_ID , AWS_SECRET_ACCESS_KEY , AWS_SESSION_TOKEN
    Credentials.
    .It Ev AWS_PROFILE , AWS_DEFAULT_PROFILE
    The profile: the first of these that is set (default:
    .Ql default ) .
    .It Ev AWS_SHARED_CREDENTIALS_FILE , AWS_CONFIG_FILE
    The files that contain the profiles (default:
    .Pa ~/.aws/credentials
    and
    .Pa ~/.aws/config ) .
    .It Ev AWS_REGION , AWS_DEFAULT_REGION
    The region: the first of these that is set.
    .It Ev AWS_ENDPOINT_URL_S3 , AWS_ENDPOINT_URL
    The server: the first of these that is set.
    .It Ev AWS_IGNORE_CONFIGURED_ENDPOINT_URLS
    If
    .Ql true ,
    .Ev AWS_ENDPOINT_URL_S3 , AWS_ENDPOINT_URL
    and the
    .Ql endpoint_url
    of the profile are ignored.
    .It Ev AWS_CONTAINER_CREDENTIALS_RELATIVE_URI , AWS_CONTAINER_CREDENTIALS_FULL_URI
    With
    .Fl \-s3-credentials Cm instance :
    the path or URL of the container's credentials.
    .It Ev AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE , AWS_CONTAINER_AUTHORIZATION_TOKEN
    The authorization for these requests, in a file or as text.
    .It Ev AWS_EC2_METADATA_SERVICE_ENDPOINT
    With
    .Fl \-s3-credentials Cm instance :
    the URL of the instance metadata service.
    .It Ev AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE
    If
    .Ev AWS_EC2_METADATA_SERVICE_ENDPOINT
    isn't set: use the service's
    .Ql IPv4
    or
    .Ql IPv6
    address (default: IPv4).
    .It Ev AWS_EC2_METADATA_DISABLED
    If
    .Ql true ,
    .Fl \-s3-credentials Cm instance
    fails outside containers.
    .El
    .Sh FILES
    .Bl -tag -width Ds
    .It Pa ~/.aws/credentials , ~/.aws/config
    Profiles, unless
    .Ev AWS_SHARED_CREDENTIALS_FILE
    or
    .Ev AWS_CONFIG_FILE
    names another file.
    .El

    """#
}
