// The last line of a terminal, drawn over as work goes on, with whole lines above it.
#pragma once

#include <cstdio>
#include <string>

namespace transformeter {

class StatusLine {
 public:
  explicit StatusLine(std::FILE* stream) : stream_(stream) {}
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  std::FILE* stream() const { return stream_; }
  /// Cut to the window; not where the stream is no terminal.
  void draw(const std::string& text);
  /// A line that stays, in place of the one drawn.
  void print(const std::string& text);
  void clear();

 private:
  std::FILE* stream_;
  bool is_drawn_ = false;
};

}  // namespace transformeter
