package server

import (
	"fmt"
	"log/slog"
)

// gnetLog sends what gnet has to say where everything else goes.
type gnetLog struct{ to *slog.Logger }

func (l gnetLog) Debugf(format string, args ...any) {
	l.to.Debug("gnet: " + fmt.Sprintf(format, args...))
}
func (l gnetLog) Infof(format string, args ...any) {
	l.to.Debug("gnet: " + fmt.Sprintf(format, args...))
}
func (l gnetLog) Warnf(format string, args ...any) {
	l.to.Warn("gnet: " + fmt.Sprintf(format, args...))
}
func (l gnetLog) Errorf(format string, args ...any) {
	l.to.Error("gnet: " + fmt.Sprintf(format, args...))
}

// Fatalf logs an error: whether the process ends is not gnet's to decide.
func (l gnetLog) Fatalf(format string, args ...any) {
	l.to.Error("gnet: " + fmt.Sprintf(format, args...))
}
