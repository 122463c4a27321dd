//===-- Scripts.h - programs without a GPU -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs are shell scripts that write the recordings themselves.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H
#define BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H

#include "verify/Session.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bankstripe::runtime {

inline const char Kernel[] =
    "\"kernel\":\"_Z4stepPi\",\"grid\":[1,1,1],\"block\":[32,1,1],"
    "\"registers\":8,\"static-shared\":0,\"dynamic-shared\":0,\"local\":0,"
    "\"stream\":0";

/// A program with one allocation and one launch, of a given digest (shell text)
/// and duration.
inline std::string program(const std::string &Digest, int Nanoseconds,
                           const std::string &Then = "echo result") {
  const std::string Fields = Kernel;
  return "head='{\"bankstripe-recording\":1,\"mode\":\"'$BANKSTRIPE_MODE'\"}'\n"
         "{ echo \"$head\"\n"
         "if [ $BANKSTRIPE_MODE = time ]; then\n"
         "  echo '{\"type\":\"execution\",\"order\":1," +
         Fields +
         ",\"start\":1000,\"end\":" + std::to_string(1000 + Nanoseconds) +
         "}'\nelse\n"
         "  echo '{\"type\":\"allocation\",\"id\":0,\"kind\":\"device\","
         "\"bytes\":256,\"chunk\":256}'\n"
         "  echo '{\"type\":\"launch\",\"index\":0,\"thread\":0," +
         Fields + ",\"changes\":[[0,[0,\"'\"" + Digest +
         "\"'\"]]],\"variables\":[]}'\n"
         "fi\necho '{\"type\":\"end\"}'; } >$BANKSTRIPE_RECORD\n" +
         Then + "\n";
}

inline const std::string One = "0000000000000001", Two = "0000000000000002";

class Verify : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = testing::TempDir() + "session-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    O.Runs = 2;
    O.TimeoutSeconds = 20;
  }
  void TearDown() override { std::filesystem::remove_all(Folder); }

  VerifyReport run(const std::string &Original, const std::string &Rewritten) {
    O.Original = {write("original", Original), Arguments};
    O.Rewritten = {write("rewritten", Rewritten), Arguments};
    return verify(O, "/no/recorder", [](const std::string &) {});
  }

  std::string write(const std::string &Name, const std::string &Script) {
    std::string Path = Folder + "/" + Name;
    std::ofstream(Path) << "#!/bin/sh\n" << Script;
    ::chmod(Path.c_str(), 0755);
    return Path;
  }

  std::string Folder;
  std::vector<std::string> Arguments; ///< Of both programs.
  Options O;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_TESTS_RUNTIME_SCRIPTS_H
