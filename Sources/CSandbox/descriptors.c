#include "CSandbox.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * CSANDBOX_MOST_DESCRIPTORS)];
};

ssize_t csandbox_send(int socket, const void *bytes, size_t count, int flags, const int *descriptors, size_t number) {
  struct iovec piece = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  union control control;
  if (number > CSANDBOX_MOST_DESCRIPTORS) {
    errno = EINVAL;
    return -1;
  }
  if (number > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * number);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * number);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * number);
  }
  return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

ssize_t csandbox_receive(int socket, void *bytes, size_t count, int *descriptors, size_t *number) {
  struct iovec piece = {bytes, count};
  union control control;
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control};
  *number = 0;
  ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    if (found > CSANDBOX_MOST_DESCRIPTORS - *number) found = CSANDBOX_MOST_DESCRIPTORS - *number;
    memcpy(descriptors + *number, CMSG_DATA(header), sizeof(int) * found);
    *number += found;
  }
  // Some didn't fit into the process's limit of open files.
  if (message.msg_flags & MSG_CTRUNC) {
    errno = EMFILE;
    return -1;
  }
  return received;
}
