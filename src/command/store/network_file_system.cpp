// Magic numbers from linux/magic.h, and from the file systems' own sources where that header lacks them.
#include "store/network_file_system.h"

#include <sys/vfs.h>

#include <array>

namespace transformeter {
namespace {

struct Kind {
  unsigned long magic;
  std::string_view name;
};

// FUSE is listed because sshfs and most cluster file systems use it; a local one merely gets the slower journal.
constexpr std::array kKinds{
    Kind{0x6969, "NFS"},        Kind{0x517B, "SMB"},        Kind{0xFF534D42, "CIFS"},   Kind{0xFE534D42, "SMB2"},
    Kind{0x65735546, "FUSE"},   Kind{0x01021997, "9P"},     Kind{0x0BD00BD0, "Lustre"}, Kind{0x47504653, "GPFS"},
    Kind{0x00C36400, "Ceph"},   Kind{0x19830326, "BeeGFS"}, Kind{0x5346414F, "AFS"},    Kind{0x6B414653, "kAFS"},
    Kind{0x73757245, "Coda"},   Kind{0x564C, "NCP"},        Kind{0x7461636F, "OCFS2"},  Kind{0x01161970, "GFS2"},
    Kind{0x786F4256, "vboxsf"},
};

}  // namespace

std::optional<std::string_view> network_file_system_kind(unsigned long magic) {
  for (const Kind& kind : kKinds) {
    if (kind.magic == magic) return kind.name;
  }
  return std::nullopt;
}

std::optional<std::string_view> network_file_system(const std::filesystem::path& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return std::nullopt;
  return network_file_system_kind(static_cast<unsigned long>(status.f_type) & 0xFFFFFFFFUL);
}

}  // namespace transformeter
