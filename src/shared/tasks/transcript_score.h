// Word and character error rates of transcripts, as the Python package jiwer 4.0 computes them.
#pragma once

#include <string_view>
#include <vector>

#include "stats/edit_distance.h"
#include "tasks/score.h"

namespace transformeter {

struct TranscriptErrors {
  EditCount words, characters;
};

/// Texts are valid UTF-8 and compared as they are: capitals and punctuation count. As jiwer's wer_default and
/// cer_default have it, white space around a text does not count; runs of two or more white space characters are one
/// space, and words lie between spaces; of characters, which are code points, spaces count too.
TranscriptErrors transcript_errors(std::string_view reference, std::string_view transcript,
                                   const StopCheck& check = {});

/// Edits of all sounds ÷ words, or characters, of all references; at least one sound. n counts words, or characters;
/// the interval is a bootstrap over the sounds. Not a number where the references are all empty.
ScoreReport score_transcripts(const std::vector<TranscriptErrors>& sounds, const StopCheck& check = {});

}  // namespace transformeter
